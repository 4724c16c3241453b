import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { PAGE_PATHS } from '../../shared/page-paths.ts'
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
  { pattern: PAGE_PATHS.home, page: HomePage },
  { pattern: PAGE_PATHS.explorer, page: later(async () => (await import('../pages/explorer/explorer-page.tsx')).ExplorerPage) },
  {
    pattern: PAGE_PATHS.block,
    page: later(async () => (await import('../pages/block/block-page.tsx')).BlockPage),
  },
  {
    pattern: PAGE_PATHS.transaction,
    page: later(async () => (await import('../pages/transaction/transaction-page.tsx')).TransactionPage),
  },
  { pattern: PAGE_PATHS.address, page: later(async () => (await import('../pages/address/address-page.tsx')).AddressPage) },
  { pattern: PAGE_PATHS.token, page: later(async () => (await import('../pages/explorer/token-page.tsx')).TokenPage) },
  { pattern: PAGE_PATHS.batch, page: later(async () => (await import('../pages/explorer/batch-page.tsx')).BatchPage) },
  { pattern: PAGE_PATHS.find, page: later(async () => (await import('../pages/explorer/find-page.tsx')).FindPage) },
  { pattern: PAGE_PATHS.bridge, page: later(async () => (await import('../pages/bridge/bridge-page.tsx')).BridgePage) },
  { pattern: PAGE_PATHS.validators, page: later(async () => (await import('../pages/validators/validators-page.tsx')).ValidatorsPage) },
  { pattern: PAGE_PATHS.network, page: later(async () => (await import('../pages/network/network-page.tsx')).NetworkPage) },
  { pattern: PAGE_PATHS.faucet, page: later(async () => (await import('../pages/faucet/faucet-page.tsx')).FaucetPage) },
  { pattern: PAGE_PATHS.chat, page: later(async () => (await import('../pages/chat/chat-page.tsx')).ChatPage) },
  { pattern: PAGE_PATHS.agents, page: later(async () => (await import('../pages/agents/agents-page.tsx')).AgentsPage) },
  { pattern: PAGE_PATHS.simulation, page: later(async () => (await import('../pages/simulation/simulation-page.tsx')).SimulationPage) },
  { pattern: PAGE_PATHS.search, page: later(async () => (await import('../pages/explorer/search-page.tsx')).SearchPage) },
]
const NOT_FOUND = later(async () => (await import('../pages/not-found-page.tsx')).NotFoundPage)

export function findPage(path: string): { readonly page: Page; readonly id: string } {
  for (const { pattern, page } of ROUTES) {
    const found = pattern.exec(path)
    if (found !== null) return { page, id: found[1] ?? '' }
  }
  return { page: NOT_FOUND, id: path }
}
