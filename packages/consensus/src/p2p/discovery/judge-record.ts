import type { ENR } from '@chainsafe/enr'
import { decodeOpstackEntry, isOfChain, OPSTACK_ENTRY } from './opstack-entry.ts'

export type RecordJudgement =
  | { readonly verdict: 'dialable'; readonly node: FoundNode }
  | { readonly verdict: 'not-of-the-op-stack' | 'other-chain' | 'no-address' | 'unreachable-address' | 'outside-networks' | 'self' }

export interface FoundNode {
  readonly peerId: string
  readonly address: string
  readonly enr: string
}

export interface RecordRules {
  readonly chainId: bigint
  readonly ownNodeId: string
  /** False for loopback and similar scopes, unless this node's configuration uses them. */
  readonly isReachable: (ip: string) => boolean
  readonly isInside: (ip: string) => boolean
}

export function judgeRecord(enr: ENR, rules: RecordRules): RecordJudgement {
  if (enr.nodeId === rules.ownNodeId) return { verdict: 'self' }
  const raw = enr.kvs.get(OPSTACK_ENTRY)
  const entry = raw === undefined ? null : decodeOpstackEntry(raw)
  if (entry === null) return { verdict: 'not-of-the-op-stack' }
  if (!isOfChain(entry, rules.chainId)) return { verdict: 'other-chain' }
  const [version, ip, port] = enr.ip !== undefined && enr.tcp !== undefined ? ['ip4', enr.ip, enr.tcp] : ['ip6', enr.ip6, enr.tcp6]
  if (ip === undefined || port === undefined || port === 0) return { verdict: 'no-address' }
  if (!rules.isReachable(String(ip))) return { verdict: 'unreachable-address' }
  if (!rules.isInside(String(ip))) return { verdict: 'outside-networks' }
  const peerId = enr.peerId.toString()
  return { verdict: 'dialable', node: { peerId, address: `/${version}/${ip}/tcp/${port}/p2p/${peerId}`, enr: enr.encodeTxt() } }
}
