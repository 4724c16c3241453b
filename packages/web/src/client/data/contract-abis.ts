/** Verified ABIs of contracts, and what the pages decode with them. */
import type { AbiEntry } from '@keelson/contracts'
import { type AbiDocument, createAbiDocument, declarationsOf, mergeAbis } from '../../shared/abi-document.ts'
import { useConfig } from './config.ts'
import { getJson } from './get-json.ts'
import { useAbis } from './use-abis.ts'
import { useQuery } from './use-query.ts'

export interface ContractInterface {
  readonly address: string
  /** Null, like the ABI, while nobody verified the code. */
  readonly contract: string | null
  readonly abi: readonly AbiEntry[] | null
}

export interface ProxiedInterface extends ContractInterface {
  /** The contract whose code runs; null for a contract that runs its own. */
  readonly implementation: ContractInterface | null
}

export interface AbiLookup {
  /** Declarations for calls to an address and its events; null while the known ones load. */
  of(address: string | null | undefined): AbiDocument | null
  /** The errors of all contracts together: an error may come from a contract further inside. */
  readonly all: AbiDocument | null
}

const MAX_ADDRESSES = 20
const MAX_KEPT = 300
const RETRY_MS = 5_000
const kept = new Map<string, Promise<ProxiedInterface>>()

/** Null when the index does not answer. */
export function loadInterface(address: string): Promise<ProxiedInterface | null> {
  return fetchInterface(address).catch(() => null)
}

function fetchInterface(address: string): Promise<ProxiedInterface> {
  const known = kept.get(address)
  if (known !== undefined) return known
  const loading = getJson<ProxiedInterface>(`/api/index/contracts/${address}/abi`)
  kept.set(address, loading)
  loading.catch(() => kept.delete(address))
  for (const old of kept.keys()) {
    if (kept.size <= MAX_KEPT) break
    kept.delete(old)
  }
  return loading
}

/** After somebody verified a contract, whose code other addresses may have, too. */
export function forgetInterfaces(): void {
  kept.clear()
}

/** The first 20 addresses are looked up; the others have the declarations that everybody knows. */
export function useContractAbis(addresses: readonly (string | null | undefined)[]): AbiLookup {
  const { services } = useConfig()
  const known = useAbis()
  const wanted = [...new Set(addresses.flatMap((address) => address?.toLowerCase() ?? []))].slice(0, MAX_ADDRESSES)
  const key = services.index && wanted.length > 0 ? `interfaces ${wanted.join()}` : null
  const loaded = useQuery(key, () => Promise.all(wanted.map(loadInterface)), null)
  const isPartial = loaded.data?.includes(null) ?? false
  useQuery(isPartial ? key : null, () => Promise.all(wanted.map(loadInterface)), RETRY_MS)
  const own = new Map((loaded.data ?? []).flatMap((one) => (one === null ? [] : [[one.address, documentOf(one)] as const])))
  const withKnown = (document: AbiDocument | undefined) => (document === undefined || known === null ? known : mergeAbis(document, known))
  return {
    of: (address) => withKnown(address == null ? undefined : own.get(address.toLowerCase())),
    all: withKnown(
      [...own.values()].reduce<AbiDocument | undefined>((sum, one) => (sum === undefined ? one : mergeAbis(sum, one)), undefined),
    ),
  }
}

function documentOf({ abi, implementation }: ProxiedInterface): AbiDocument {
  return createAbiDocument([...declarationsOf(abi ?? []), ...declarationsOf(implementation?.abi ?? [])])
}
