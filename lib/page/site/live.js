// handoff page: reloads the page when the server says that the store has changed.
"use strict";
(() => {
  const base = document.querySelector("link[rel=stylesheet]").href.replace(/style\.css$/, "");
  new EventSource(base + "events").addEventListener("change", () => location.reload());
})();
