import { Suspense, useEffect, useRef } from 'react'
import { useConfig } from '../data/config.ts'
import { Connection } from './connection.tsx'
import { Link } from './link.tsx'
import { usePath } from './location.ts'
import { Navigation } from './navigation.tsx'
import { PageGuard } from './page-guard.tsx'
import { findPage } from './routes.tsx'
import { SearchBox } from './search-box.tsx'
import { ThemeButton } from './theme-button.tsx'

export function Shell() {
  const { name, version, l2 } = useConfig()
  const path = usePath()
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const { page: Page, id } = findPage(path)
  // biome-ignore lint/correctness/useExhaustiveDependencies: moving to another page moves the focus to its content
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [path])
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <header className="header">
        <div className="header-inner">
          <Link href="/" className="brand">
            <img src="/favicon.svg" alt="" width="28" height="28" />
            <span>{name}</span>
          </Link>
          <Navigation />
          <SearchBox />
          <Connection />
          <ThemeButton />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <PageGuard key={path}>
          <Suspense fallback={<p className="loading">Loading the page.</p>}>
            <Page id={id} />
          </Suspense>
        </PageGuard>
      </main>
      <footer className="footer">
        <span>
          {name}, chain id {l2.chainId}, one block every {l2.blockTimeSec}&nbsp;s
        </span>
        <Link href="/simulation">Simulation</Link>
        <span>Keelson {version}</span>
      </footer>
    </>
  )
}
