// Reports what is wrong with the page that is open, as a list of strings; arguments[0] is the width
// of the window in CSS pixels, the last argument takes the report.
const width = arguments[0];
const report = arguments[arguments.length - 1];
const faults = [];

function box(element) {
  return element.getBoundingClientRect();
}

function scrolls(element) {
  for (let e = element; e && e !== document.body; e = e.parentElement)
    if (["auto", "scroll"].includes(getComputedStyle(e).overflowX) && box(e).right <= width + 1)
      return true;
  return false;
}

function visible(element) {
  const { left, right, width: w, height: h } = box(element);
  return w > 0 && h > 0 && left >= 0 && right <= width + 1;
}

function prose() {
  const skipped = "pre, code, script, style, svg, mjx-container, .sig, .search";
  const root = document.querySelector("article") ?? document.body;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode())
    if (!walker.currentNode.parentElement.closest(skipped)) texts.push(walker.currentNode.data);
  return texts;
}

async function loaded() {
  if (window.MathJax?.startup) await MathJax.startup.promise;
  const images = [...document.images];
  for (const image of images) image.loading = "eager";
  await Promise.allSettled(images.map((image) => image.decode()));
}

loaded().then(() => {
  const page = document.documentElement;
  if (page.scrollWidth > width) faults.push(`is ${page.scrollWidth} pixels wide`);
  for (const e of document.querySelectorAll("article :is(table, pre, img, .math, dt, p, h1, h2)"))
    if (box(e).right > width + 1 && !scrolls(e))
      faults.push(`${e.tagName} ends at ${Math.round(box(e).right)}: ${e.textContent.slice(0, 40)}`);
  for (const formula of document.querySelectorAll("div.math"))
    if (width > 1000 && formula.scrollWidth > formula.clientWidth)
      faults.push(`wider than the text: ${formula.textContent.trim().slice(0, 40)}`);
  if (width < 1000 && !/\/(generated|_modules)\/|\/api\.html$/.test(location.pathname))
    for (const { parentElement: e } of document.querySelectorAll("article table.docutils"))
      if (e.scrollWidth > e.clientWidth)
        faults.push(`table wider than its box: ${e.textContent.trim().slice(0, 40)}`);
  for (const image of document.images)
    if (image.naturalWidth === 0) faults.push(`no picture at ${image.src}`);
  for (const text of prose())
    if (/\\[A-Za-z()[\]]|\$/.test(text)) faults.push(`raw TeX: ${text.trim().slice(0, 60)}`);
  for (const formula of document.querySelectorAll(".math"))
    if (!formula.querySelector("mjx-container")) faults.push(`not drawn: ${formula.textContent}`);
  for (const error of document.querySelectorAll("[data-mml-node=merror], mjx-container [fill=red]"))
    faults.push(`MathJax cannot read: ${error.closest(".math").textContent}`);
  for (const { name } of performance.getEntriesByType("resource"))
    if (new URL(name).origin !== location.origin) faults.push(`asks another host for ${name}`);
  const menu = [...document.querySelectorAll("label[for=__navigation], .sidebar-tree")];
  if (!menu.some(visible)) faults.push("has no menu in sight");
  report(faults);
});
