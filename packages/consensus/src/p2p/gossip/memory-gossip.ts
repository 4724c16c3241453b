/** Gossip in one process, with libp2p's messages and validation, for simulations. */

import { ConsensusError } from '../../errors.ts'
import type { AttestationChannel, BlockSigner, PayloadServer } from '../../ports.ts'
import { encodePayloadRefusal } from '../exchange/payload-exchange.ts'
import { requestPayload } from '../exchange/request-payload.ts'
import type { BlockJudgement, BlockValidator } from './block-validator.ts'
import { type EncodedBlock, encodeBlockMessage, ownBlock } from './encode-message.ts'
import { createMemoryPeers } from './memory-peers.ts'
import type { UnsafeGossip } from './unsafe-gossip.ts'

export interface MemoryGossipNetwork {
  join(options: MemoryGossipOptions): UnsafeGossip
  connected: boolean
  serving: boolean
}

export interface MemoryGossipOptions {
  readonly name: string
  readonly chainId: bigint
  readonly validator: BlockValidator
  readonly signer: BlockSigner | null
  readonly onJudgement?: (judgement: BlockJudgement, from: string) => void
}

/** How messages travel between members. */
export interface GossipCarrier {
  /** Calls `arrive` never, once or several times. */
  carry(from: string, to: string, message: Uint8Array, arrive: () => void): void
  /** Rejects when no response comes. */
  exchange(from: string, to: string, request: Uint8Array, answer: () => Promise<Uint8Array>): Promise<Uint8Array>
}

const AT_ONCE: GossipCarrier = {
  carry: (_from, _to, _message, arrive) => arrive(),
  exchange: (_from, _to, _request, answer) => answer(),
}

type AttestationJudge = Parameters<AttestationChannel['open']>[0]

interface Member {
  receive(block: EncodedBlock, from: string): void
  readonly judgeAttestation: AttestationJudge | null
  answer(request: Uint8Array, from: string): Promise<Uint8Array>
}

const NEVER = new AbortController().signal

export function createMemoryGossipNetwork(carrier: GossipCarrier = AT_ONCE): MemoryGossipNetwork {
  const members = new Map<string, Member>()
  const network: MemoryGossipNetwork = {
    connected: true,
    serving: true,
    join(options) {
      let handler: Parameters<UnsafeGossip['onPayload']>[0] | null = null
      let signedHandler: Parameters<UnsafeGossip['onSignedBlock']>[0] | null = null
      let unreadableHandler: Parameters<UnsafeGossip['onUnreadable']>[0] | null = null
      let judgeAttestation: AttestationJudge | null = null
      let server: PayloadServer | null = null
      const others = () => [...members.keys()].filter((name) => name !== options.name)
      const receive: Member['receive'] = (block, from) => {
        const judgement = options.validator.judge(block.version, block.message)
        options.onJudgement?.(judgement, from)
        if (judgement.verdict === 'ignore' && judgement.reason === 'newer-rules') unreadableHandler?.(judgement.block)
        if (judgement.verdict !== 'accept') return
        signedHandler?.(judgement.signed)
        handler?.(judgement.envelope, from)
      }
      const hear = async (name: string, message: Uint8Array, from: string, heard: Set<string>): Promise<void> => {
        const judge = members.get(name)?.judgeAttestation ?? null
        if (judge === null || heard.has(name)) return
        heard.add(name)
        const verdict = await judge(message, from)
        // libp2p's message cache also forgets a message that was not judged.
        if (verdict === 'defer') heard.delete(name)
        if (verdict === 'accept') await spread(message, name, heard)
      }
      /** Resolves when every member that the message reaches at once has judged it. */
      const spread = async (message: Uint8Array, from: string, heard: Set<string>): Promise<void> => {
        if (!network.connected) return
        const judged: Promise<void>[] = []
        for (const name of members.keys()) {
          if (!heard.has(name)) carrier.carry(from, name, message, () => void judged.push(hear(name, message, from, heard)))
        }
        await Promise.all(judged)
      }
      return {
        network: createMemoryPeers(options.chainId, options.name, others),
        async publish(envelope) {
          const block = await encodeBlockMessage(options.chainId, options.signer, envelope)
          const own = ownBlock(block, options.signer)
          if (own !== null) signedHandler?.(own)
          if (!network.connected) return
          for (const name of others()) {
            carrier.carry(options.name, name, block.message, () => members.get(name)?.receive(block, options.name))
          }
        },
        serve(blocks) {
          server = blocks
        },
        requestPayload(number, hash) {
          const exchange = async (peer: string, request: Uint8Array) => {
            return carrier.exchange(options.name, peer, request, async () => {
              const answer = network.connected && network.serving ? await members.get(peer)?.answer(request, options.name) : undefined
              if (answer === undefined) throw new ConsensusError('consensus/gossip-stopped', 'temporary', `${peer} is not there`)
              return answer
            })
          }
          return requestPayload({ peers: others, exchange, judged: () => undefined }, number, hash, NEVER)
        },
        onPayload(newHandler) {
          handler = newHandler
        },
        onSignedBlock(newHandler) {
          signedHandler = newHandler
        },
        onUnreadable(newHandler) {
          unreadableHandler = newHandler
        },
        attestations: {
          open(judge) {
            judgeAttestation = judge
          },
          publish: (message) => spread(message, options.name, new Set([options.name])),
        },
        async start() {
          if (members.has(options.name)) {
            throw new ConsensusError('consensus/gossip-start', 'critical', `the gossip network has a member named ${options.name} already`)
          }
          members.set(options.name, {
            receive,
            get judgeAttestation() {
              return judgeAttestation
            },
            answer: async (request, from) => (await server?.answer(request, from)) ?? encodePayloadRefusal('failed'),
          })
        },
        async stop() {
          members.delete(options.name)
        },
        peers: () =>
          others().map((peerId) => ({
            peerId,
            addresses: [],
            direction: 'outbound',
            connectedSinceMs: 0,
            firstDeliveries: 0,
            score: null,
          })),
        self: () => ({ peerId: options.name, addresses: [] }),
      }
    },
  }
  return network
}
