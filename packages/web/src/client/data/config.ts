import { createContext, useContext } from 'react'
import type { ConfigDocument } from '../../shared/config-document.ts'

const ConfigContext = createContext<ConfigDocument | null>(null)

export const ConfigProvider = ConfigContext.Provider

export function useConfig(): ConfigDocument {
  const config = useContext(ConfigContext)
  if (config === null) throw new Error('a page is outside ConfigProvider')
  return config
}

/** Name of a contract of this network, or null. */
export function contractName({ contracts }: ConfigDocument, address: string): string | null {
  const wanted = address.toLowerCase()
  return Object.entries(contracts.l2).find(([, known]) => known.toLowerCase() === wanted)?.[0] ?? null
}
