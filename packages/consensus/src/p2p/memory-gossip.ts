/**
 * Gossip among consensus clients of one process: the same messages and the same validation as over
 * libp2p, without sockets. For simulations of a whole network.
 */
import { ConsensusError } from '../errors.ts'
import type { BlockSigner, UnsafeGossip } from '../ports.ts'
import type { BlockJudgement, BlockValidator } from './block-validator.ts'
import { type EncodedBlock, encodeBlockMessage } from './encode-message.ts'

export interface MemoryGossipNetwork {
  join(options: MemoryGossipOptions): UnsafeGossip
  /** While false, nothing is delivered, and what is sent is lost. */
  connected: boolean
}

export interface MemoryGossipOptions {
  readonly name: string
  readonly chainId: bigint
  readonly validator: BlockValidator
  readonly signer: BlockSigner | null
  /** Sees each judgement; for tests. */
  readonly onJudgement?: (judgement: BlockJudgement, from: string) => void
}

type Receiver = (block: EncodedBlock, from: string) => void

export function createMemoryGossipNetwork(): MemoryGossipNetwork {
  const members = new Map<string, Receiver>()
  const network: MemoryGossipNetwork = {
    connected: true,
    join(options) {
      let handler: Parameters<UnsafeGossip['onPayload']>[0] | null = null
      const receive: Receiver = (block, from) => {
        const judgement = options.validator.judge(block.version, block.message)
        options.onJudgement?.(judgement, from)
        if (judgement.verdict === 'accept') handler?.(judgement.envelope, from)
      }
      return {
        async publish(envelope) {
          const block = await encodeBlockMessage(options.chainId, options.signer, envelope)
          if (!network.connected) return
          for (const [name, deliver] of members) if (name !== options.name) deliver(block, options.name)
        },
        onPayload(newHandler) {
          handler = newHandler
        },
        async start() {
          if (members.has(options.name)) {
            throw new ConsensusError('consensus/gossip-start', 'critical', `the gossip network has a member named ${options.name} already`)
          }
          members.set(options.name, receive)
        },
        async stop() {
          members.delete(options.name)
        },
        peers: () =>
          [...members.keys()]
            .filter((name) => name !== options.name)
            .map((peerId) => ({
              peerId,
              addresses: [],
              direction: 'outbound',
              connectedSinceMs: 0,
              firstDeliveries: 0,
              score: null,
              protocols: [],
            })),
        self: () => ({ peerId: options.name, addresses: [] }),
      }
    },
  }
  return network
}
