/** Where a visitor sees more of something on L1. */
import type { ConfigDocument } from '../../shared/config-document.ts'

export type L1Thing = 'tx' | 'block' | 'address'

/** A page of the explorer of L1 that the operator named, or null. Blockscout's and Etherscan's paths are the same. */
export function l1ExplorerPage({ l1 }: Pick<ConfigDocument, 'l1'>, thing: L1Thing, id: string | number): string | null {
  return l1.explorerUrl === null ? null : `${l1.explorerUrl.replace(/\/+$/, '')}/${thing}/${id}`
}

/** The page of these pages that follows a deposit, or null. */
export function depositPage({ services }: Pick<ConfigDocument, 'services'>, l1Transaction: string): string | null {
  return services.bridge ? `/bridge?deposit=${l1Transaction}` : null
}
