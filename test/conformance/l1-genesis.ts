/** Genesis files of L1 chains may omit blob parameters that everybody knew when they were written. */
import { MAINNET_BLOB_PARAMETERS } from '@keelson/chainspec'

export interface BlobEntry {
  readonly target: number
  readonly max: number
  readonly baseFeeUpdateFraction: number
}

const BLOB_FORKS = ['cancun', 'prague', 'osaka'] as const
/** Ethereum mainnet: go-ethereum params/config.go, DefaultBPO1BlobConfig and DefaultBPO2BlobConfig. */
export const BPO_ENTRIES: Readonly<Record<string, BlobEntry>> = {
  bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 },
  bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 },
}

function defaults(): Readonly<Record<string, BlobEntry>> {
  const named = BLOB_FORKS.flatMap((fork) => {
    const own = MAINNET_BLOB_PARAMETERS[fork]
    if (own === undefined) return []
    return [[fork, { target: own.target, max: own.max, baseFeeUpdateFraction: Number(own.baseFeeUpdateFraction) }] as const]
  })
  return { ...Object.fromEntries(named), ...BPO_ENTRIES }
}

/** Adds Ethereum mainnet's parameters for forks that the file schedules without any. */
export function withBlobSchedule(genesis: unknown): object {
  const { config = {}, ...rest } = genesis as { readonly config?: Readonly<Record<string, unknown>> }
  const stated = (config.blobSchedule ?? {}) as Readonly<Record<string, unknown>>
  const missing = Object.entries(defaults()).filter(([fork]) => typeof config[`${fork}Time`] === 'number' && stated[fork] === undefined)
  if (missing.length === 0) return genesis as object
  return { ...rest, config: { ...config, blobSchedule: { ...Object.fromEntries(missing), ...stated } } }
}
