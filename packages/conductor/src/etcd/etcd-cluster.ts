/**
 * Accepts answers of one etcd cluster alone. A member of another one, such as one that was started with an empty folder, counts as
 * a member that does not answer: its record may lack blocks that were published.
 */
import { messageOf } from '@keelson/primitives'
import { type EtcdClient, isObject, type JsonObject } from './etcd-client.ts'
import { EtcdReplaced, EtcdUnavailable } from './etcd-error.ts'

export interface EtcdCluster {
  /** Throws EtcdReplaced while most members are of another cluster. */
  readonly client: EtcdClient
  /** Null until members have answered. */
  readonly id: string | null
}

/** `known` is the cluster of before; null takes the one that most of the members belong to. */
export function createEtcdCluster(client: EtcdClient, known: string | null): EtcdCluster {
  let id = known
  let finding: Promise<string> | null = null

  async function find(): Promise<string> {
    finding ??= findCluster(client).finally(() => {
      finding = null
    })
    return finding
  }

  return {
    get id() {
      return id
    },
    client: {
      ...client,
      async call(call, body) {
        const cluster = id ?? (await find())
        id = cluster
        const others: string[] = []
        try {
          return await client.call(call, body, (answer) => {
            const other = clusterOf(answer)
            if (other === null || other === cluster) return null
            others.push(other)
            return `its cluster id is ${other}, expected ${cluster}`
          })
        } catch (error) {
          if (!(error instanceof EtcdUnavailable) || others.length * 2 <= client.endpoints.length) throw error
          throw new EtcdReplaced(`its cluster id is ${others[0]}, and was ${cluster}`)
        }
      },
    },
  }
}

function clusterOf({ header }: JsonObject): string | null {
  return isObject(header) && typeof header.cluster_id === 'string' ? header.cluster_id : null
}

async function findCluster(client: EtcdClient): Promise<string> {
  const members = await Promise.all(
    client.endpoints.map(async (endpoint) => {
      const { host } = new URL(endpoint)
      try {
        const id = clusterOf(await client.callAt(endpoint, 'maintenance/status', {}))
        return { id, text: `${host}: cluster ${id}` }
      } catch (error) {
        return { id: null, text: `${host}: ${messageOf(error)}` }
      }
    }),
  )
  const countOf = (wanted: string) => members.filter(({ id }) => id === wanted).length
  const ids = [...new Set(members.flatMap(({ id }) => (id === null ? [] : [id])))].sort((a, b) => countOf(b) - countOf(a))
  const [first, second] = ids
  if (first !== undefined && countOf(first) * 2 >= members.length && (second === undefined || countOf(second) < countOf(first)))
    return first
  throw new EtcdUnavailable(`half of etcd's members have to agree on a cluster: ${members.map(({ text }) => text).join('; ')}`)
}
