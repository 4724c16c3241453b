import type { AbiEntry } from '@keelson/contracts'
import { type AbiDocument, signatureOf } from '../../../shared/abi-document.ts'
import { Card } from '../../parts/card.tsx'
import { TryIt } from '../../parts/command/try-it.tsx'
import { fallbackCommand } from './contract-commands.ts'
import { FunctionForm } from './function-form.tsx'
import { useContractPlace } from './use-contract-place.ts'

export interface FunctionsCardProps {
  readonly address: string
  readonly title: string
  readonly abi: readonly AbiEntry[]
  /** What reverted calls return. */
  readonly errors: AbiDocument
}

/** Every function of an ABI with a form; those that only read come first. */
export function FunctionsCard({ address, title, abi, errors }: FunctionsCardProps) {
  const place = useContractPlace(address)
  const functions = abi.filter(({ type }) => type === 'function')
  const groups = [
    { name: 'Read', those: functions.filter(isRead) },
    { name: 'Write', those: functions.filter((one) => !isRead(one)) },
  ]
  return (
    <Card title={title}>
      {functions.length === 0 && (
        <TryIt command={fallbackCommand(place)}>
          The contract declares no functions. What is sent to it reaches its fallback, if it has one:
        </TryIt>
      )}
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
