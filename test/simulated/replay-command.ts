import { type RunPlan, upgradesText } from '@keelson/simulator'

/** Runs one seed alone. */
export function replayCommand(
  seed: number,
  {
    days,
    sequencers,
    validators,
    transactionsPerSec,
    recoveryMinutes,
    kinds,
    rate,
    realRpc,
    realCrypto,
    staking,
    upgrades = [],
  }: Omit<RunPlan, 'seed'>,
): string {
  const faults = kinds === 'swarm' ? kinds : kinds.join(',') || 'none'
  const several = sequencers === undefined ? '' : `--sequencers ${sequencers} `
  const network = `--days ${days} ${several}--validators ${validators} --tps ${transactionsPerSec} --recovery ${recoveryMinutes}`
  const given = { '--real-rpc': realRpc, '--real-crypto': realCrypto, '--staking': staking }
  const flags = Object.entries(given)
    .map(([flag, value]) => (value === true ? ` ${flag}` : ''))
    .join('')
  const list = upgrades === 'swarm' ? upgrades : upgradesText(upgrades)
  const later = list === '' ? '' : ` --upgrade ${list}`
  return `npm run simulate -- --seed ${seed} ${network} --faults ${faults} --fault-rate ${rate}${flags}${later}`
}
