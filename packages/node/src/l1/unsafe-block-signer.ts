import type { RpcClient } from '@keelson/client'
import { createContractCaller } from '@keelson/client'
import { decodeAddress, encodeCall, SYSTEM_CONFIG_GETTERS } from '@keelson/contracts'
import { type Address, type Clock, type Logger, ZERO_ADDRESS } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'

export interface UnsafeBlockSigner extends Service {
  /** Null if the SystemConfig names no signer, or L1 has not answered and no signer is published. */
  current(): Address | null
}

const RELOAD_MS = 60_000
const RETRY_MS = 2_000

export interface KnownSigners {
  readonly ours?: Address | null
  /** Signer in the network's files, used until L1 has answered. */
  readonly published?: Address | null
}

export function createUnsafeBlockSigner(
  systemConfig: Address,
  l1: RpcClient,
  clock: Clock,
  log: Logger,
  { ours = null, published = null }: KnownSigners = {},
): UnsafeBlockSigner {
  const caller = createContractCaller(l1)
  const stopping = new AbortController()
  let known: Address | null = published
  let answered = false
  let warned = false
  let loop: Promise<void> = Promise.resolve()

  function warnOfSilence(reason: string): void {
    if (published === null) log.warn('who signs blocks is not known: gossiped blocks are ignored until L1 answers', { reason })
    else log.warn('L1 has not named the signer of blocks: the one that the network publishes is accepted', { signer: published, reason })
  }

  async function read(): Promise<number> {
    try {
      const found = decodeAddress(await caller.call(systemConfig, encodeCall(SYSTEM_CONFIG_GETTERS.unsafeBlockSigner)))
      const next = found === ZERO_ADDRESS ? null : found
      if (next !== known || !answered) log.info('blocks must be signed by', { signer: next ?? 'nobody', systemConfig })
      if ((next !== known || !answered) && next !== null && ours !== null && next !== ours) {
        log.error('blocks of this sequencer will be refused: it signs as another than L1 says', {
          signsAs: ours,
          expected: next,
          remedy: 'give the key of the expected signer, or set unsafeBlockSigner in the SystemConfig on L1',
        })
      }
      known = next
      answered = true
      return RELOAD_MS
    } catch (error) {
      if (!answered && !warned) warnOfSilence(String(error))
      warned = true
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
