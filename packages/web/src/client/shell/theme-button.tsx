import { useTheme } from './theme.ts'

export function ThemeButton() {
  const { theme, toggle } = useTheme()
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <button type="button" className="icon-button" onClick={toggle} aria-label={`Use the ${other} theme`} title={`Use the ${other} theme`}>
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        {theme === 'dark' ? (
          <path
            d="M10 3v2m0 10v2m7-7h-2M5 10H3m11.900-4.900-1.400 1.400M6.500 13.500l-1.400 1.400m9.800 0-1.400-1.400M6.500 6.500 5.100 5.100M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0z"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.500"
            strokeLinecap="round"
          />
        ) : (
          <path
            d="M16.500 12.200A7 7 0 0 1 7.800 3.500a7 7 0 1 0 8.700 8.700z"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.500"
            strokeLinejoin="round"
          />
        )}
      </svg>
    </button>
  )
}
