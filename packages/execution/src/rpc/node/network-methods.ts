import { bytesToHex, formatQuantity, type Hex, hexToBytes, keccak256 } from '@keelson/primitives'
import { forKnownCallers, invalidParams, type RpcMethods } from '@keelson/runtime'
import { forkHashText, forkId } from '../../fork-id/fork-id.ts'
import type { ConnectedPeer } from '../../p2p/connected-peer.ts'
import type { ExecutionNetwork } from '../../p2p/network.ts'
import { type NodeAddress, parseNode, showEnode } from '../../p2p/peers/enode.ts'
import { serverError } from '../errors.ts'
import { argument, parseText } from '../params.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'

/** `network` is null for a node without peers. */
export function networkMethods(deps: Pick<RpcDependencies, 'network'>): RpcMethods {
  return {
    net_listening: () => (deps.network?.self ?? null) !== null,
    net_peerCount: () => formatQuantity(deps.network?.connected.list().length ?? 0),
  }
}

export function adminMethods(deps: RpcDependencies): RpcMethods {
  const { network } = deps
  const change = (apply: (peers: ExecutionNetwork['peers'], node: NodeAddress) => unknown) => async (params: readonly unknown[]) => {
    const node = argument(params, 0, nodeArgument)
    if (network === null) throw serverError('this node has no peers: start it with --p2p.enabled')
    await apply(network.peers, node)
    return true
  }
  return {
    admin_peers: () => (network?.connected.list() ?? []).map((peer) => peerToJson(peer, network as ExecutionNetwork)),
    admin_nodeInfo: () => nodeInfo(deps),
    ...forKnownCallers({
      admin_addPeer: change((peers, node) => peers.addStatic(node)),
      admin_removePeer: change((peers, { id }) => peers.removeStatic(id)),
      admin_addTrustedPeer: change((peers, { id }) => peers.addTrusted(id)),
      admin_removeTrustedPeer: change((peers, { id }) => peers.removeTrusted(id)),
    }),
  }
}

function nodeArgument(value: unknown): NodeAddress {
  const text = parseText(value)
  const parsed = parseNode(text)
  if (parsed.kind === 'bad') throw invalidParams(`${parsed.reason}; got "${text.slice(0, 200)}"`)
  return parsed.node
}

function nodeInfo({ network, chain, chainId, rules, version }: RpcDependencies) {
  const head = chain.label('unsafe')
  const { genesis } = chain
  const points = rules.forkPoints?.(genesis) ?? null
  const self = network?.self ?? null
  const port = self?.tcpPort ?? 0
  return {
    id: self === null ? '' : identityOf(self.id),
    name: `Keelson/v${version}`,
    enode: self === null ? '' : showEnode(self),
    enr: network?.record ?? '',
    ip: self?.host ?? '',
    ports: { discovery: 0, listener: port },
    listenAddr: self === null ? '' : `${self.host}:${port}`,
    protocols: {
      eth: {
        network: Number(chainId),
        difficulty: 0,
        genesis: points?.genesis ?? genesis.hash,
        head: head.hash,
        ...(points === null ? {} : { forkId: forkHashText(forkId(points, head.header).hash) }),
      },
    },
  }
}

function peerToJson({ id, session, eth }: ConnectedPeer, { peers }: ExecutionNetwork) {
  const { client, host, port, inbound } = session.remote
  return {
    id: identityOf(id),
    name: client,
    enode: showEnode({ id, host, tcpPort: port, udpPort: port }),
    caps: session.capabilities.map(({ name, version }) => `${name}/${version}`),
    network: {
      remoteAddress: `${host}:${port}`,
      inbound,
      static: peers.named.isStatic(id),
      trusted: peers.named.isTrusted(id),
    },
    protocols: { eth: { version: eth.version, head: eth.status?.head ?? null } },
    score: peers.score(id),
  }
}

/** Node id of discovery v4: the hash of the public key, without 0x. */
function identityOf(publicKey: Hex): string {
  return bytesToHex(keccak256(hexToBytes(publicKey))).slice(2)
}
