// The switch between light and dark; until it is used the page follows the system.
{
  const KEY = "causal-bandits-report.theme"; // pages from disk share one storage
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const tell = () => button.setAttribute("aria-pressed", String(isDark()));

  try {
    root.dataset.theme = localStorage.getItem(KEY) ?? "";
  } catch {
    // A page from disk may have no storage; the switch then lasts as long as the page.
  }
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(KEY, root.dataset.theme);
    } catch {
      // As above.
    }
    tell();
  });
  system.addEventListener("change", tell);
  tell();
}
