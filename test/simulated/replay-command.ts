import type { RunPlan } from '@keelson/simulator'

/** Runs one seed alone. */
export function replayCommand(
  seed: number,
  { days, sequencers, validators, transactionsPerSec, recoveryMinutes, kinds, rate, realRpc, realCrypto }: Omit<RunPlan, 'seed'>,
): string {
  const faults = kinds === 'swarm' ? kinds : kinds.join(',') || 'none'
  const several = sequencers === undefined ? '' : `--sequencers ${sequencers} `
  const network = `--days ${days} ${several}--validators ${validators} --tps ${transactionsPerSec} --recovery ${recoveryMinutes}`
  const flags = `${realRpc === true ? ' --real-rpc' : ''}${realCrypto === true ? ' --real-crypto' : ''}`
  return `npm run simulate -- --seed ${seed} ${network} --faults ${faults} --fault-rate ${rate}${flags}`
}
