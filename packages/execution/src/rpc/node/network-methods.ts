import { formatQuantity, keccak256 } from '@keelson/primitives'
import { forKnownCallers, invalidParams, type RpcMethods } from '@keelson/runtime'
import { forkHashText, forkId } from '../../fork-id/fork-id.ts'
import type { ConnectedPeer } from '../../p2p/connected-peer.ts'
import { enodeUrl, type NodeAddress, nodeName, parseEnode } from '../../p2p/enode.ts'
import type { ExecutionNetwork } from '../../p2p/network.ts'
import { serverError } from '../errors.ts'
import { argument, parseText } from '../params.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'

/** `network` is null for a node without peers. */
export function networkMethods(deps: Pick<RpcDependencies, 'network'>): RpcMethods {
  return {
    net_listening: () => (deps.network?.self ?? null) !== null,
    net_peerCount: () => formatQuantity(deps.network?.peers.list().length ?? 0),
  }
}

export function adminMethods(deps: RpcDependencies): RpcMethods {
  const { network } = deps
  const change = (apply: (network: ExecutionNetwork, node: NodeAddress) => void) => (params: readonly unknown[]) => {
    const node = argument(params, 0, parseNode)
    if (network === null) throw serverError('this node has no peers: start it with --p2p.enabled')
    apply(network, node)
    return true
  }
  return {
    admin_peers: () => (network?.peers.list() ?? []).map((peer) => peerToJson(peer)),
    admin_nodeInfo: () => nodeInfo(deps),
    ...forKnownCallers({
      admin_addPeer: change((to, node) => to.addPeer(node)),
      admin_removePeer: change((from, { id }) => from.removePeer(id)),
    }),
  }
}

function parseNode(value: unknown): NodeAddress {
  const text = parseText(value)
  const node = parseEnode(text)
  if (node === null) throw invalidParams(`expected enode://<128 hex digits>@<host>:<port>, got "${text.slice(0, 200)}"`)
  return node
}

function nodeInfo({ network, chain, chainId, rules, version }: RpcDependencies) {
  const head = chain.label('unsafe')
  const { genesis } = chain
  const points = rules.forkPoints?.(genesis) ?? null
  const self = network?.self ?? null
  const port = self?.port ?? 0
  return {
    id: self === null ? '' : identityOf(self.id),
    name: `Keelson/v${version}`,
    enode: self === null ? '' : enodeUrl(self),
    enr: '',
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

function peerToJson({ session, eth }: ConnectedPeer) {
  const { id, client, host, port, inbound } = session.remote
  return {
    id: identityOf(id),
    name: client,
    enode: enodeUrl({ id, host, port }),
    caps: session.capabilities.map(({ name, version }) => `${name}/${version}`),
    network: { remoteAddress: `${host}:${port}`, inbound },
    protocols: { eth: { version: eth.version, head: eth.status?.head ?? null } },
  }
}

/** Node id of discovery v4. */
function identityOf(publicKey: Uint8Array): string {
  return nodeName(keccak256(publicKey))
}
