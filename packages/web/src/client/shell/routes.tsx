import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { HomePage } from '../pages/home/home-page.tsx'

export interface PageProps {
  /** The part of the path that names a thing, such as a block's number. */
  readonly id: string
}

type Page = ComponentType<PageProps> | LazyExoticComponent<ComponentType<PageProps>>

interface Route {
  readonly pattern: RegExp
  readonly page: Page
}

function later(load: () => Promise<ComponentType<PageProps>>): Page {
  return lazy(async () => ({ default: await load() }))
}

/** The first page comes with the program; every other one when it is opened. */
const ROUTES: readonly Route[] = [
  { pattern: /^\/$/, page: HomePage },
  { pattern: /^\/explorer\/?$/, page: later(async () => (await import('../pages/explorer/explorer-page.tsx')).ExplorerPage) },
  {
    pattern: /^\/block\/(\d{1,15}|0x[0-9a-fA-F]{64})$/,
    page: later(async () => (await import('../pages/block/block-page.tsx')).BlockPage),
  },
  {
    pattern: /^\/tx\/(0x[0-9a-fA-F]{64})$/,
    page: later(async () => (await import('../pages/transaction/transaction-page.tsx')).TransactionPage),
  },
  { pattern: /^\/address\/(0x[0-9a-fA-F]{40})$/, page: later(async () => (await import('../pages/address/address-page.tsx')).AddressPage) },
  { pattern: /^\/token\/(0x[0-9a-fA-F]{40})$/, page: later(async () => (await import('../pages/explorer/token-page.tsx')).TokenPage) },
  { pattern: /^\/batch\/(0x[0-9a-fA-F]{64})$/, page: later(async () => (await import('../pages/explorer/batch-page.tsx')).BatchPage) },
  { pattern: /^\/find\/(0x[0-9a-fA-F]{64})$/, page: later(async () => (await import('../pages/explorer/find-page.tsx')).FindPage) },
  { pattern: /^\/bridge$/, page: later(async () => (await import('../pages/bridge/bridge-page.tsx')).BridgePage) },
  { pattern: /^\/validators$/, page: later(async () => (await import('../pages/validators/validators-page.tsx')).ValidatorsPage) },
  { pattern: /^\/network$/, page: later(async () => (await import('../pages/network/network-page.tsx')).NetworkPage) },
  { pattern: /^\/faucet$/, page: later(async () => (await import('../pages/faucet/faucet-page.tsx')).FaucetPage) },
  { pattern: /^\/chat$/, page: later(async () => (await import('../pages/chat/chat-page.tsx')).ChatPage) },
  { pattern: /^\/agents$/, page: later(async () => (await import('../pages/agents/agents-page.tsx')).AgentsPage) },
  { pattern: /^\/simulation$/, page: later(async () => (await import('../pages/simulation/simulation-page.tsx')).SimulationPage) },
  { pattern: /^\/search$/, page: later(async () => (await import('../pages/explorer/search-page.tsx')).SearchPage) },
]
const NOT_FOUND = later(async () => (await import('../pages/not-found-page.tsx')).NotFoundPage)

export function findPage(path: string): { readonly page: Page; readonly id: string } {
  for (const { pattern, page } of ROUTES) {
    const found = pattern.exec(path)
    if (found !== null) return { page, id: found[1] ?? '' }
  }
  return { page: NOT_FOUND, id: path }
}
