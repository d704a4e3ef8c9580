// Light or dark: as the system says, until the reader chooses. Drawings listen to "themechange".
{
  const root = document.documentElement, button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
    document.dispatchEvent(new Event("themechange"));
  };
  try { const kept = localStorage.getItem("ldnn-theme"); if (kept) root.dataset.theme = kept; } catch { /* not kept */ }
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("ldnn-theme", root.dataset.theme); } catch { /* not kept */ }
    show();
  });
  system.addEventListener("change", show);
  show();
  button.hidden = false;
}
