// Draws the formulas that Markdown left as \(..\) and \[..\]; again after each page that is loaded without a reload.
document$.subscribe(({ body }) => {
  body.querySelectorAll(".arithmatex").forEach((element) => {
    const text = element.textContent.trim();
    const isBlock = text.startsWith("\\[");
    katex.render(text.slice(2, -2), element, { displayMode: isBlock, throwOnError: false });
  });
});
