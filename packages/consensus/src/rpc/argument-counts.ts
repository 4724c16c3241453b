import { limitArguments, type RpcMethods } from '@keelson/runtime'

const MOST: Readonly<Record<string, number>> = {
  syncStatus: 0,
  rollupConfig: 0,
  outputAtBlock: 1,
  version: 0,
  heardHead: 0,
  safeHeadAtL1Block: 1,
  publishAttestation: 1,
  attestations: 1,
  offences: 0,
  startSequencer: 1,
  stopSequencer: 0,
  sequencerActive: 0,
  overrideLeader: 0,
  leaderOverridden: 0,
  conductorEnabled: 0,
  setRecoverMode: 1,
  setLogLevel: 1,
  resetDerivationPipeline: 0,
  postUnsafePayload: 1,
  self: 0,
  peers: 1,
  peerStats: 0,
  discoveryTable: 0,
  listBlockedPeers: 0,
  listBlockedAddrs: 0,
  listBlockedSubnets: 0,
  blockPeer: 1,
  unblockPeer: 1,
  blockAddr: 1,
  unblockAddr: 1,
  blockSubnet: 1,
  unblockSubnet: 1,
  protectPeer: 1,
  unprotectPeer: 1,
  connectPeer: 1,
  disconnectPeer: 1,
}

/** Methods are named `prefix_name`, and a name has one meaning under all prefixes. Throws RangeError for a method without a count. */
export function limitConsensusArguments(methods: RpcMethods): RpcMethods {
  const counts = Object.keys(methods).map((method) => {
    const most = MOST[method.slice(method.indexOf('_') + 1)]
    if (most === undefined) throw new RangeError(`${method} has no number of arguments`)
    return [method, most] as const
  })
  return limitArguments(methods, Object.fromEntries(counts))
}
