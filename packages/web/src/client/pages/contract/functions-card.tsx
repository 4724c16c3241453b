import type { AbiEntry } from '@keelson/contracts'
import { type AbiDocument, signatureOf } from '../../../shared/abi-document.ts'
import { Card } from '../../parts/card.tsx'
import { FunctionForm } from './function-form.tsx'

export interface FunctionsCardProps {
  readonly address: string
  readonly title: string
  readonly abi: readonly AbiEntry[]
  /** What reverted calls return. */
  readonly errors: AbiDocument
}

/** Every function of an ABI with a form; those that only read come first. */
export function FunctionsCard({ address, title, abi, errors }: FunctionsCardProps) {
  const functions = abi.filter(({ type }) => type === 'function')
  const groups = [
    { name: 'Read', those: functions.filter(isRead) },
    { name: 'Write', those: functions.filter((one) => !isRead(one)) },
  ]
  return (
    <Card title={title}>
      {functions.length === 0 && <p className="empty">The contract has no functions.</p>}
      {groups
        .filter(({ those }) => those.length > 0)
        .map(({ name, those }) => (
          <div key={name} className="functions">
            <h3>{name}</h3>
            {those.map((entry) => (
              <FunctionForm key={signatureOf(entry)} address={address} entry={entry} isRead={isRead(entry)} errors={errors} />
            ))}
          </div>
        ))}
    </Card>
  )
}

function isRead({ stateMutability }: AbiEntry): boolean {
  return stateMutability === 'view' || stateMutability === 'pure'
}
