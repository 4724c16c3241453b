import type { Hash } from '@keelson/primitives'
import { createManualClock, createMemoryStore, createMetrics, createSilentLogger } from '@keelson/runtime'
import type { GossipVerdict } from '../../ports.ts'
import { type AttestationService, createAttestationService } from './attestation-service.ts'
import { createStubContract, crypto, DOMAIN, type StubContract, withBlockHashes } from './attestations.test-support.ts'

export interface ServiceWorld {
  readonly service: AttestationService
  readonly contract: StubContract
  readonly clock: ReturnType<typeof createManualClock>
  readonly heads: { unsafe: number; safe: number; finalized: number }
  readonly sent: readonly Uint8Array[]
  readonly recovered: () => number
  bring(message: Uint8Array, from: string): Promise<GossipVerdict>
}

export interface ServiceWorldOptions {
  readonly active?: readonly number[]
  readonly finalized?: number
  readonly hashOf?: (number: number) => Promise<Hash | null>
}

export async function createServiceWorld(options: ServiceWorldOptions = {}): Promise<ServiceWorld> {
  const { active = [1, 2, 3], finalized = 0, hashOf = async () => null } = options
  const clock = createManualClock(1_800_000_000_000)
  const contract = createStubContract(...active)
  const heads = { unsafe: 75, safe: 0, finalized }
  const sent: Uint8Array[] = []
  let recovered = 0
  let judge: ((message: Uint8Array, from: string) => Promise<GossipVerdict>) | null = null
  const service = createAttestationService(
    { chainId: DOMAIN.chainId, blockTimeMs: 2_000, contract: DOMAIN.contract },
    {
      reader: withBlockHashes(contract.reader, hashOf),
      heads: () => heads,
      gossip: {
        attestations: {
          open(given) {
            judge = given
          },
          async publish(message) {
            sent.push(message)
          },
        },
        onSignedBlock: () => undefined,
      },
      store: createMemoryStore(),
      crypto: {
        ...crypto,
        recover(digest, signature) {
          recovered++
          return crypto.recover(digest, signature)
        },
      },
      clock,
      log: createSilentLogger(),
      metrics: createMetrics('test'),
    },
  )
  await service.step()
  return {
    service,
    contract,
    clock,
    heads,
    sent,
    recovered: () => recovered,
    async bring(message, from) {
      if (judge === null) throw new Error('the node did not join the topic')
      return judge(message, from)
    },
  }
}
