import type { Offences } from '@keelson/contracts'
import {
  encodeReportDoubleAttestation,
  encodeReportInvalidAttestation,
  encodeReportSignedBlock,
  encodeSettleInvalidAttestation,
} from '@keelson/contracts'
import type { Address } from '@keelson/primitives'
import type { OpenOffence } from './offence-chain.ts'

export type ReportKind = 'double-attestation' | 'invalid-attestation' | 'double-block' | 'settlement'

export interface OffenceTask {
  readonly kind: ReportKind
  readonly name: string
  readonly fields: Readonly<Record<string, string | number>>
  readonly data: Uint8Array
  /** Name of the task that must be finished first. */
  readonly after: string | null
  /** One pair is enough to slash a key. */
  readonly pair: { readonly of: Address; readonly name: string } | null
}

export function offenceTasks(offences: Offences, overdue: readonly OpenOffence[]): readonly OffenceTask[] {
  const tasks: OffenceTask[] = []
  // Invalid attestations first: their evidence period is short, and each report waits until the previous one is mined.
  for (const invalid of offences.invalidAttestations) {
    const { validator } = invalid
    const { epoch, checkpointNumber } = invalid.attestation
    tasks.push({
      kind: 'invalid-attestation',
      name: `invalid-attestation ${epoch} ${validator}`,
      fields: { validator, epoch, checkpointNumber },
      data: encodeReportInvalidAttestation(invalid),
      after: null,
      pair: null,
    })
  }
  for (const { validator, epoch, first, second } of offences.doubleAttestations) {
    tasks.push({
      kind: 'double-attestation',
      name: `double-attestation ${epoch} ${validator}`,
      fields: { validator, epoch },
      data: encodeReportDoubleAttestation(first, second),
      after: null,
      pair: null,
    })
  }
  for (const { blockKey, number, first, second } of offences.doubleBlocks) {
    const names = [first, second].map(({ blockHash }) => `double-block ${number} ${blockHash}`) as [string, string]
    for (const [index, block] of [first, second].entries()) {
      tasks.push({
        kind: 'double-block',
        name: names[index] as string,
        fields: { blockKey, number, block: block.blockHash },
        data: encodeReportSignedBlock(block.signedPart, block.signature),
        after: index === 0 ? null : names[0],
        pair: { of: blockKey, name: names.join(' ') },
      })
    }
  }
  for (const { validator, epoch } of overdue) {
    tasks.push({
      kind: 'settlement',
      name: `settlement ${epoch} ${validator}`,
      fields: { validator, epoch },
      data: encodeSettleInvalidAttestation(epoch, validator),
      after: null,
      pair: null,
    })
  }
  return tasks
}
