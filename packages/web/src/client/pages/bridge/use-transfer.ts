import { getJson } from '../../data/get-json.ts'
import { type Loaded, useQuery } from '../../data/use-query.ts'
import type { DepositStatus, WithdrawalsStatus } from './bridge-types.ts'

const REFRESH_MS = 3_000
const FINISHED: ReadonlySet<string> = new Set(['complete', 'finalized'])

/** `hash` is the L1 transaction. Asked again until the deposit is complete. */
export function useDeposit(hash: string): Loaded<DepositStatus> {
  return useTransfer<DepositStatus>(`/api/bridge/status/${hash}`, ({ state }) => state)
}

/** `hash` is the L2 transaction. */
export function useWithdrawals(hash: string): Loaded<WithdrawalsStatus> {
  return useTransfer<WithdrawalsStatus>(`/api/bridge/withdrawals/${hash}`, ({ status }) => status)
}

function useTransfer<T>(path: string, stateOf: (status: T) => string): Loaded<T> {
  const known = useQuery<T>(path, () => getJson<T>(path))
  const isFinished = known.data !== null && FINISHED.has(stateOf(known.data))
  useQuery<T>(isFinished ? null : path, () => getJson<T>(path), REFRESH_MS)
  return known
}
