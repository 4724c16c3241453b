import type { ENR } from '@chainsafe/enr'

/** A verdict is a few words with hyphens, for metrics. */
export type RecordJudgement =
  | { readonly verdict: 'dialable'; readonly record: FoundRecord }
  | { readonly verdict: string; readonly record: null }

export interface FoundRecord {
  readonly enr: ENR
  readonly ip: string
  readonly tcpPort: number
}

export interface RecordRules {
  readonly ownNodeId: string
  /** Why a record is not of the own network; null if it is. */
  readonly refuses: (enr: ENR) => string | null
  /** False for loopback and similar scopes, unless this node's configuration uses them. */
  readonly isReachable: (ip: string) => boolean
  readonly isInside: (ip: string) => boolean
}

export function judgeRecord(enr: ENR, rules: RecordRules): RecordJudgement {
  const refused = (verdict: string): RecordJudgement => ({ verdict, record: null })
  if (enr.nodeId === rules.ownNodeId) return refused('self')
  const otherNetwork = rules.refuses(enr)
  if (otherNetwork !== null) return refused(otherNetwork)
  const [ip, tcpPort] = enr.ip !== undefined && enr.tcp !== undefined ? [enr.ip, enr.tcp] : [enr.ip6, enr.tcp6]
  if (ip === undefined || tcpPort === undefined || tcpPort === 0) return refused('no-address')
  if (!rules.isReachable(String(ip))) return refused('unreachable-address')
  if (!rules.isInside(String(ip))) return refused('outside-networks')
  return { verdict: 'dialable', record: { enr, ip: String(ip), tcpPort } }
}
