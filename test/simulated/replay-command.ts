import { type RunPlan, upgradesText } from '@keelson/simulator'

/** Runs one seed alone. */
export function replayCommand(
  seed: number,
  { days, sequencers, validators, transactionsPerSec, recoveryMinutes, kinds, rate, ...rest }: Omit<RunPlan, 'seed'>,
): string {
  const faults = kinds === 'swarm' ? kinds : kinds.join(',') || 'none'
  const several = sequencers === undefined ? '' : `--sequencers ${sequencers} `
  const network = `--days ${days} ${several}--validators ${validators} --tps ${transactionsPerSec} --recovery ${recoveryMinutes}`
  const { realRpc, realCrypto, staking, l1FinalityBlocks, frameBytes, upgrades = [] } = rest
  const flags = { '--real-rpc': realRpc, '--real-crypto': realCrypto, '--staking': staking }
  const numbers = { '--l1-finality': l1FinalityBlocks, '--frame-bytes': frameBytes }
  const others = [
    ...Object.entries(flags).map(([flag, value]) => (value === true ? ` ${flag}` : '')),
    ...Object.entries(numbers).map(([option, value]) => (value === undefined ? '' : ` ${option} ${value}`)),
  ].join('')
  const list = upgrades === 'swarm' ? upgrades : upgradesText(upgrades)
  const later = list === '' ? '' : ` --upgrade ${list}`
  return `npm run simulate -- --seed ${seed} ${network} --faults ${faults} --fault-rate ${rate}${others}${later}`
}
