import { EvmError } from '../errors.ts'
import type { OpenBlock, OpenBlockOptions } from './block-types.ts'

export function openBlock(options: OpenBlockOptions): OpenBlock {
  throw new EvmError('evm/misuse', `block ${options.header.number} cannot be opened: the executor is not built yet`)
}
