import { useEffect } from 'react'
import { useConfig } from '../../data/config.ts'
import { getJson } from '../../data/get-json.ts'
import { rpcAll } from '../../data/rpc.ts'
import { useQuery } from '../../data/use-query.ts'
import { isHash } from '../../format/hex.ts'
import { Notice } from '../../parts/notice.tsx'
import { goTo } from '../../shell/location.ts'
import type { PageProps } from '../../shell/routes.tsx'
import { useTitle } from '../../shell/use-title.ts'

const WAITING_MS = 2_000

/** Leads from a hash to the block, transaction or batch that has it. */
export function FindPage({ id: hash }: PageProps) {
  useTitle('Search')
  const { services } = useConfig()
  const key = isHash(hash) ? `find ${hash}` : null
  const { data, error } = useQuery(key, () => find(hash, services.index), null)
  const path = data?.path ?? null
  useQuery(data !== null && path === null ? key : null, () => find(hash, services.index), WAITING_MS)
  useEffect(() => {
    if (path !== null) goTo(path, { replace: true })
  }, [path])
  if (data === null) return <Notice error={error} what="what has this hash" />
  return (
    <section className="card">
      <h1>Nothing has this hash</h1>
      <p className="hint hex">{hash}</p>
      <p className="hint">
        It names no block and no transaction of this network, and no batch on L1. A transaction that was just sent appears here by itself.
      </p>
    </section>
  )
}

async function find(hash: string, hasIndex: boolean): Promise<{ readonly path: string | null }> {
  const [transaction, block] = await rpcAll([
    { method: 'eth_getTransactionByHash', params: [hash] },
    { method: 'eth_getBlockByHash', params: [hash, false] },
  ])
  if (transaction !== null) return { path: `/tx/${hash}` }
  if (block !== null) return { path: `/block/${hash}` }
  const batch = hasIndex ? await getJson(`/api/index/l1/batches/${hash}`).catch(() => null) : null
  return { path: batch === null ? null : `/batch/${hash}` }
}
