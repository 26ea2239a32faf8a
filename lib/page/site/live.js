// handoff page: reloads the page when the server reports a change of the store.
"use strict";
(() => {
  const base = document.querySelector("link[rel=stylesheet]").href.replace(/style\.css$/, "");
  new EventSource(base + "events").addEventListener("change", () => location.reload());
})();
