/** Many peers without a chain in one process; its parent tells it what to do over IPC. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { bytesToHex, type Hash, type Hex, hexToBytes, keccak256Hash } from '@keelson/primitives'
import { createSeededRandom, createSystemClock } from '@keelson/runtime'
import { decodeHashes, ETH, ETH_CAPABILITIES, ETH_CODES, envelopeToRlp } from '../../../packages/execution/src/p2p/eth/eth-messages.ts'
import { EthPeer } from '../../../packages/execution/src/p2p/eth/eth-peer.ts'
import { encodeAnnouncement } from '../../../packages/execution/src/p2p/eth/tx-messages.ts'
import { P2pError } from '../../../packages/execution/src/p2p/p2p-error.ts'
import { parseNode, showEnode } from '../../../packages/execution/src/p2p/peers/enode.ts'
import { decodeIdentified } from '../../../packages/execution/src/p2p/requests/identified.ts'
import { createServing } from '../../../packages/execution/src/p2p/requests/serving.ts'
import { openNodeKey } from '../../../packages/execution/src/p2p/rlpx/node-key.ts'
import { openSession } from '../../../packages/execution/src/p2p/rlpx/open-session.ts'
import { createNativeCrypto } from '../../../packages/node/src/crypto/native-crypto.ts'
import { tcpStream } from '../../../packages/node/src/p2p/tcp-stream.ts'
import { SILENT_LOGGER } from '../silent-logger.ts'
import type { Order, Reply } from './orders.ts'

const HEADERS = 192
const ASK_EVERY_MS = 500

const clock = createSystemClock()
const crypto = createNativeCrypto()
const transactions = new Map<Hash, Uint8Array>()
const peers = new Set<EthPeer>()
const servers: { close(): void }[] = []
let latenciesMs: number[] = []
let failed = 0
let count = 0
let chain: Extract<Order, { readonly kind: 'chain' }> | null = null
const nothing = { headers: () => [], bodies: () => [], receipts: () => [] }

function newNode(listenPort: number) {
  const key = openNodeKey(keyOf(++count))
  return { key, client: `light/${count}`, listenPort, capabilities: ETH_CAPABILITIES }
}

const keyOf = (n: number) => hexToBytes(`0x${(0x5eed_0000 + n).toString(16).padStart(64, '0')}`)
/** Each in a /24 of its own, because a node has limits for subnets. */
const ownAddress = () => `127.0.${count + 1}.1`

async function join(socket: Socket, node: ReturnType<typeof newNode>, remoteId: Uint8Array | null): Promise<EthPeer> {
  if (chain === null) throw new Error('no chain')
  const { genesis, networkId, forkHash, blocks, head } = chain
  const deps = { clock, crypto, random: createSeededRandom(count) }
  const session = await openSession(tcpStream(socket), remoteId, node, deps)
  const range = { earliest: 0n, latest: BigInt(blocks), latestHash: head }
  const peer = new EthPeer(session, {
    clock,
    status: () => ({ networkId: BigInt(networkId), genesis, forkId: { hash: forkHash, next: 0n }, totalDifficulty: 0n, range }),
    forkFilter: () => ({ kind: 'accepted' }),
    server: nothing,
    serving: createServing(clock),
    log: SILENT_LOGGER,
    transactions: (own) => ({
      agreed: () => undefined,
      receive: (code, payload) => {
        if (code === ETH_CODES.getPooledTransactions) serveTransactions(own, payload)
      },
    }),
  })
  await peer.exchangeStatus()
  peers.add(peer)
  void session.closed.then(() => peers.delete(peer))
  void askForHeaders(peer, blocks)
  return peer
}

function serveTransactions(peer: EthPeer, payload: Uint8Array): void {
  const { id, fields } = decodeIdentified(payload)
  const found = decodeHashes(fields[0]).flatMap((hash) => transactions.get(hash) ?? [])
  peer.answer(ETH_CODES.pooledTransactions, id, found.map(envelopeToRlp))
}

async function askForHeaders(peer: EthPeer, blocks: number): Promise<void> {
  const random = createSeededRandom(count)
  while (peers.has(peer)) {
    const origin = BigInt(Math.floor(random.next() * Math.max(1, blocks - HEADERS)))
    const startedMs = performance.now()
    const query = { origin, amount: BigInt(HEADERS), skip: 0n, reverse: false }
    const headers = await peer.headers(query, AbortSignal.timeout(10_000)).catch(() => null)
    if (headers?.length === HEADERS) latenciesMs.push(performance.now() - startedMs)
    else if (peers.has(peer)) failed++
    await clock.sleep(ASK_EVERY_MS * (0.75 + random.next() / 2))
  }
}

/** True for a peer; false when the node refuses. */
async function dial(enode: string): Promise<boolean> {
  const parsed = parseNode(enode)
  if (parsed.kind === 'bad') throw new Error(parsed.reason)
  const node = newNode(0)
  const socket = connect({ host: parsed.node.host, port: parsed.node.tcpPort, localAddress: ownAddress() })
  try {
    const peer = await join(socket, node, hexToBytes(parsed.node.id))
    // A node that is full says so after the exchange of status.
    return await Promise.race([peer.session.closed.then(() => false), clock.sleep(1_000).then(() => true)])
  } catch (error) {
    // A node without a place closes the connection before the handshake.
    if (error instanceof P2pError || (error as NodeJS.ErrnoException).code === 'ECONNRESET') return false
    throw error
  }
}

async function listen(): Promise<string> {
  const node = newNode(1)
  const server = createServer((socket) => void join(socket, node, null).catch(() => undefined))
  server.listen(0, ownAddress())
  await once(server, 'listening')
  servers.push(server)
  const { address, port } = server.address() as AddressInfo
  return showEnode({ id: bytesToHex(node.key.publicKey), host: address, tcpPort: port, udpPort: port })
}

async function announce(raws: readonly Hex[]): Promise<void> {
  const announced = raws.map((hex) => {
    const raw = hexToBytes(hex)
    const hash = keccak256Hash(raw)
    transactions.set(hash, raw)
    return { hash, type: raw[0] as number, size: raw.length }
  })
  const payload = encodeAnnouncement(announced)
  await Promise.allSettled([...peers].map((peer) => peer.session.send(ETH, ETH_CODES.newPooledTransactionHashes, payload)))
}

async function leave(): Promise<void> {
  for (const server of servers.splice(0)) server.close()
  await Promise.all([...peers].map(({ session }) => session.disconnect('requested')))
}

async function obey(order: Order): Promise<Reply> {
  switch (order.kind) {
    case 'chain':
      chain = order
      return { peers: peers.size }
    case 'dial': {
      const outcomes = await Promise.all(Array.from({ length: order.count }, () => dial(order.enode)))
      return { peers: peers.size, refused: outcomes.filter((joined) => !joined).length }
    }
    case 'listen':
      return { peers: peers.size, enodes: await Promise.all(Array.from({ length: order.count }, listen)) }
    case 'announce':
      await announce(order.raws)
      return { peers: peers.size }
    case 'latencies': {
      const reply = { peers: peers.size, latenciesMs, failed }
      latenciesMs = []
      failed = 0
      return reply
    }
    case 'leave':
      await leave()
      return { peers: peers.size }
  }
}

process.on('message', (order: Order) => void obey(order).then((reply) => process.send?.(reply)))
process.on('disconnect', () => process.exit())
