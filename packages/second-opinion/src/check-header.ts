/**
 * Header fields that influence execution or that a fork fixes. specs: protocol/holocene/exec-engine.md,
 * protocol/jovian/exec-engine.md
 */
import type { BlockHeader } from '@ethereumjs/block'
import type { BlockRules } from '@keelson/chainspec'
import { invalidBlock } from './errors.ts'

const EXTRA_DATA_BYTES = { 0: 9, 1: 17 } as const

/** Throws `second-opinion/invalid-block`. */
export function checkHeader({ extraData, excessBlobGas, number }: BlockHeader, { extraDataVersion, blobFields }: BlockRules): void {
  if (blobFields && excessBlobGas !== 0n) throw invalidBlock(`block ${number} has an excess blob gas of ${excessBlobGas}; expected 0`)
  if (extraDataVersion === null) return
  const bytes = EXTRA_DATA_BYTES[extraDataVersion]
  if (extraData.length !== bytes || extraData[0] !== extraDataVersion) {
    throw invalidBlock(`block ${number} has extra data of ${extraData.length} bytes; expected ${bytes} with version ${extraDataVersion}`)
  }
}
