import { asCalled } from '@keelson/runtime'
import type { KeyRecord, ProtectedChain, StopRecord } from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { jsonOption, printResult, validatorFolderOptions } from '../validator-folder.ts'
import { withProtection } from './with-protection.ts'

export const showProtectionCommand = defineCommand({
  name: 'validator protection show',
  summary: 'chain, keys, watermarks, and whether a stop is on record',
  usage: '--data-dir FOLDER',
  options: { ...validatorFolderOptions, json: jsonOption },
  async run({ dataDir, json }) {
    await withProtection(dataDir, false, async (protection) => {
      const [chain, keys, stop] = [protection.chain(), await protection.keys(), protection.stopped()]
      const document = { chain: chain === null ? null : { ...chain, chainId: chain.chainId.toString() }, keys, stop }
      printResult(json, document, [chainLine(chain), ...keys.map(keyLine), ...(stop === null ? [] : stopLines(stop))])
    })
    return 0
  },
})

export function chainLine(chain: ProtectedChain | null): string {
  if (chain === null) return 'nothing has been signed; the chain is settled with the first attestation'
  return `chain ${chain.chainId}, staking contract ${chain.contract}, anchor ${chain.anchor}`
}

export function keyLine({ key, watermark, newestEpoch }: KeyRecord): string {
  const newest = newestEpoch === null ? 'has signed nothing here' : `newest epoch signed ${newestEpoch}`
  return `${key}  ${newest}, ${watermark === null ? 'no watermark' : `refuses epochs up to ${watermark}`}`
}

function stopLines({ reason, sinceMs, key }: StopRecord): readonly string[] {
  return [
    `STOPPED since ${new Date(sinceMs).toISOString()}${key === null ? '' : ` because of ${key}`}: ${reason}`,
    `no key signs until ${asCalled('validator protection clear-stop')}`,
  ]
}
