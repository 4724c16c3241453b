import type { ConfigDocument } from '../../shared/config-document.ts'
import { useConfig } from '../data/config.ts'
import { Link } from './link.tsx'
import { usePath } from './location.ts'

interface NavigationEntry {
  readonly name: string
  readonly href: string
  /** Paths that belong to the entry. */
  readonly paths: RegExp
  isThere(config: ConfigDocument): boolean
}

/** Pages that do not exist on this network are left out. */
const ENTRIES: readonly NavigationEntry[] = [
  { name: 'Home', href: '/', paths: /^\/$/, isThere: () => true },
  { name: 'Explorer', href: '/explorer', paths: /^\/(explorer|block|tx|address|token|batch|find|search)\b/, isThere: () => true },
  { name: 'Bridge', href: '/bridge', paths: /^\/bridge$/, isThere: ({ services }) => services.bridge },
  { name: 'Validators', href: '/validators', paths: /^\/validators$/, isThere: ({ contracts }) => contracts.l2.Staking !== undefined },
  { name: 'Network', href: '/network', paths: /^\/network$/, isThere: () => true },
  { name: 'Faucet', href: '/faucet', paths: /^\/faucet$/, isThere: ({ services }) => services.faucet },
  { name: 'Chat', href: '/chat', paths: /^\/chat$/, isThere: ({ services }) => services.platform },
  { name: 'Agents', href: '/agents', paths: /^\/agents$/, isThere: ({ services }) => services.platform },
]

export function Navigation() {
  const config = useConfig()
  const path = usePath()
  return (
    <nav className="navigation" aria-label="Pages">
      {ENTRIES.filter(({ isThere }) => isThere(config)).map(({ name, href, paths }) => (
        <Link key={href} href={href} aria-current={paths.test(path) ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
