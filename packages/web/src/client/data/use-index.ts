import { useConfig } from './config.ts'
import { getJson, Refusal } from './get-json.ts'
import { useQuery } from './use-query.ts'

const NO_INDEX = new Refusal(404, 'this network has no index, which keeps the histories.', null)

/** `path` follows /api/index; null loads nothing. */
export function useIndex<T>(path: string | null, refreshMs: number | null = null) {
  const { services } = useConfig()
  const query = useQuery(path === null || !services.index ? null : `index ${path}`, () => getJson<T>(`/api/index${path}`), refreshMs)
  return services.index ? query : { ...query, error: NO_INDEX }
}
