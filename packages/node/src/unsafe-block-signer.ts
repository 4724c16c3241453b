/** Whose signature a gossiped block must bear: the SystemConfig on L1 says, and may say otherwise later. */
import type { RpcClient } from '@keelson/client'
import { createContractCaller } from '@keelson/client'
import { decodeAddress, encodeCall, SYSTEM_CONFIG_GETTERS } from '@keelson/contracts'
import { type Address, type Clock, type Logger, ZERO_ADDRESS } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'

export interface UnsafeBlockSigner extends Service {
  /** Null while L1 has not said. */
  current(): Address | null
}

const RELOAD_MS = 60_000
const RETRY_MS = 2_000

/** `ours` is whom this node signs as, null when it does not: blocks signed by another than L1 names are refused by everybody. */
export function createUnsafeBlockSigner(
  systemConfig: Address,
  l1: RpcClient,
  clock: Clock,
  log: Logger,
  ours: Address | null = null,
): UnsafeBlockSigner {
  const caller = createContractCaller(l1)
  const stopping = new AbortController()
  let known: Address | null = null
  let loop: Promise<void> = Promise.resolve()

  async function read(): Promise<number> {
    try {
      const found = decodeAddress(await caller.call(systemConfig, encodeCall(SYSTEM_CONFIG_GETTERS.unsafeBlockSigner)))
      const next = found === ZERO_ADDRESS ? null : found
      if (next !== known) log.info('blocks must be signed by', { signer: next ?? 'nobody', systemConfig })
      if (next !== known && next !== null && ours !== null && next !== ours) {
        log.error('blocks of this sequencer will be refused: it signs as another than L1 says', {
          signsAs: ours,
          expected: next,
          remedy: 'give the key of the expected signer, or set unsafeBlockSigner in the SystemConfig on L1',
        })
      }
      known = next
      return RELOAD_MS
    } catch (error) {
      if (known === null) log.warn('who signs blocks is not known: gossiped blocks are refused until L1 answers', { reason: String(error) })
      return RETRY_MS
    }
  }

  return {
    name: 'unsafe-block-signer',
    current: () => known,
    async start() {
      loop = (async () => {
        while (!stopping.signal.aborted) {
          const waitMs = await read()
          await clock.sleep(waitMs, stopping.signal).catch(() => undefined)
        }
      })()
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }
}
