import { useEffect, useRef } from 'react'
import { Link } from '../shell/link.tsx'
import { usePath, useSearch } from '../shell/location.ts'

export interface Tab {
  readonly id: string
  readonly name: string
}

/** The chosen tab is part of the page's address. */
export function useTab(tabs: readonly Tab[]): string {
  const chosen = new URLSearchParams(useSearch()).get('tab')
  return tabs.find(({ id }) => id === chosen)?.id ?? tabs[0]?.id ?? ''
}

export function Tabs({ tabs, chosen, what }: { readonly tabs: readonly Tab[]; readonly chosen: string; readonly what: string }) {
  const path = usePath()
  const nav = useRef<HTMLElement>(null)
  // On a phone the chosen tab may be outside the visible part.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is another place
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (current != null && nav.current !== null) nav.current.scrollLeft = current.offsetLeft - nav.current.offsetLeft - 40
  }, [chosen])
  return (
    <nav ref={nav} className="tabs" aria-label={what}>
      {tabs.map(({ id, name }, i) => (
        <Link key={id} href={i === 0 ? path : `${path}?tab=${id}`} aria-current={id === chosen ? 'true' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
