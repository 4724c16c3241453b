import type { RunPlan } from '@keelson/simulator'

/** Runs one seed alone. */
export function replayCommand(
  seed: number,
  { days, validators, transactionsPerSec, recoveryMinutes, kinds, rate, realRpc }: Omit<RunPlan, 'seed'>,
): string {
  const faults = kinds === 'swarm' ? kinds : kinds.join(',') || 'none'
  const network = `--days ${days} --validators ${validators} --tps ${transactionsPerSec} --recovery ${recoveryMinutes}`
  return `npm run simulate -- --seed ${seed} ${network} --faults ${faults} --fault-rate ${rate}${realRpc === true ? ' --real-rpc' : ''}`
}
