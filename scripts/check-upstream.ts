/**
 * Compares a checkout of the superchain registry with config/networks and prints the changes.
 *
 *   node --import=tsx scripts/check-upstream.ts DIR
 *
 * Exit code 0: no changes; 1: changes to import; 2: DIR is not a checkout; 3: a fork or setting that this release does not know.
 */
import { compareNetworks, exitCodeOf } from './networks/compare.ts'
import { RegistryError } from './networks/registry-chain.ts'
import { openRegistry } from './networks/registry-checkout.ts'
import { readShipped } from './networks/shipped.ts'

const EXIT_USAGE = 2

function run(args: readonly string[]): number {
  const [folder, ...more] = args
  if (folder === undefined || more.length > 0) {
    console.error('usage: node --import=tsx scripts/check-upstream.ts DIR, a checkout of the superchain registry')
    return EXIT_USAGE
  }
  const registry = openRegistry(folder)
  const shipped = readShipped()
  const findings = compareNetworks(registry, shipped, Math.floor(Date.now() / 1000))
  for (const { about, text } of findings) console.log(`${about}: ${text}`)
  const commit = registry.commit.slice(0, 8)
  console.log(`${findings.length} differences between the registry at ${commit} and config/networks (${shipped.networks.length} networks)`)
  console.log('Base is not in the registry: compare base-mainnet and base-sepolia with docs.base.org/base-chain/specs/upgrades')
  return exitCodeOf(findings)
}

try {
  process.exitCode = run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof RegistryError)) throw error
  console.error(error.message)
  process.exitCode = EXIT_USAGE
}
