import type { AbiDocument } from '../../shared/abi-document.ts'
import { readRevert } from '../data/abi/revert.ts'
import { shortHex } from '../format/hex.ts'
import { DecodedValueView } from './decoded.tsx'

export interface RevertViewProps {
  /** What the reverted call returned. */
  readonly data: string | undefined
  /** Declarations of the errors, the best first. */
  readonly abis: readonly (AbiDocument | null)[]
  /** The contract that reverted. */
  readonly contract: string | null
  /** What is said when nothing declares the error. */
  readonly otherwise: string
}

/** Why a call reverted, in the contract's words: a message, or the error with its arguments. */
export function RevertView({ data, abis, contract, otherwise }: RevertViewProps) {
  const revert = readRevert(data, abis)
  if (revert === null)
    return (
      <>
        {otherwise}
        {data !== undefined && data !== '0x' && <span title={data}> with data {shortHex(data, 16)}</span>}
      </>
    )
  if ('words' in revert) return <>{revert.words}</>
  const { name, values } = revert.error
  return (
    <>
      <code>{name}</code>(
      {values.map((value, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parameters may lack names and never move
        <span key={i}>
          {i > 0 && ', '}
          {value.name !== '' && `${value.name}: `}
          <DecodedValueView decoded={revert.error} value={value} contract={contract} />
        </span>
      ))}
      )
    </>
  )
}
