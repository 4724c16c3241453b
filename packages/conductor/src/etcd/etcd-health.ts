/** The state of each member of an etcd cluster, for an operator. */
import { messageOf } from '@keelson/primitives'
import { type EtcdClient, isObject, type JsonObject } from './etcd-client.ts'

export interface EtcdMemberState {
  readonly endpoint: string
  /** Null if it answers. */
  readonly trouble: string | null
  readonly version: string
  /** Whether it knows a leader of etcd, that is a majority. */
  readonly hasLeader: boolean
  readonly databaseBytes: number
}

export interface EtcdHealth {
  readonly members: readonly EtcdMemberState[]
  /** Members of the cluster by its own list; null if nobody answers. */
  readonly clusterSize: number | null
  /** Why a read that needs a majority fails, or null. */
  readonly quorumTrouble: string | null
  /** Alarms such as NOSPACE. */
  readonly alarms: readonly string[]
}

/** Any key; a read of it needs a majority. */
const SOME_KEY = { key: Buffer.from('keelson').toString('base64') }

export async function examineEtcd(client: EtcdClient): Promise<EtcdHealth> {
  const members = await Promise.all(client.endpoints.map((endpoint) => examineMember(client, endpoint)))
  const quorumTrouble = await client.call('kv/range', SOME_KEY).then(() => null, messageOf)
  const list = await client.call('cluster/member/list', {}).catch((): JsonObject => ({}))
  const alarms = await client.call('maintenance/alarm', {}).catch((): JsonObject => ({}))
  return {
    members,
    clusterSize: Array.isArray(list.members) ? list.members.length : null,
    quorumTrouble,
    alarms: (Array.isArray(alarms.alarms) ? alarms.alarms : []).map((alarm: unknown) =>
      isObject(alarm) ? String(alarm.alarm) : 'unknown',
    ),
  }
}

async function examineMember(client: EtcdClient, endpoint: string): Promise<EtcdMemberState> {
  try {
    const { version, leader, dbSize } = await client.callAt(endpoint, 'maintenance/status', {})
    return {
      endpoint,
      trouble: null,
      version: String(version),
      hasLeader: leader !== undefined && leader !== '0',
      databaseBytes: Number(dbSize ?? 0),
    }
  } catch (error) {
    return { endpoint, trouble: messageOf(error), version: '', hasLeader: false, databaseBytes: 0 }
  }
}
