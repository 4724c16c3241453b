import { useState } from 'react'

export type Theme = 'light' | 'dark'

const KEY = 'theme'

/** The reader's choice, kept in this browser; without one the system decides. */
export function useTheme(): { readonly theme: Theme; toggle(): void } {
  const [theme, setTheme] = useState<Theme>(current)
  return {
    theme,
    toggle() {
      const next = theme === 'dark' ? 'light' : 'dark'
      document.documentElement.dataset.theme = next
      try {
        localStorage.setItem(KEY, next)
      } catch {
        // Storage may be forbidden; the choice then lasts as long as the page.
      }
      setTheme(next)
    },
  }
}

function current(): Theme {
  const chosen = document.documentElement.dataset.theme
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
