// handoff page: shows the rows that contain every word of the filter.
"use strict";
(() => {
  const box = document.querySelector(".filter");
  if (!box) return;
  const input = box.querySelector("input");
  const status = box.querySelector("[role=status]");
  const rows = [...document.querySelectorAll(".rows > li")].map((row) => [row, row.textContent.toLowerCase()]);
  if (!rows.length) return;
  box.hidden = false;
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const [row, text] of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) n++;
    }
    status.textContent = words.length ? `${n} of ${rows.length}` : "";
  };
  input.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
    }
  });
})();
