/**
 * @ethereumjs/evm, but code is a delegation only when it is one from end to end (EIP-7702: 0xef0100 and 20 bytes).
 * The library looks at the first three bytes alone and throws for what is longer or shorter, which code set by
 * a genesis or by a caller's overrides may be; such code is code, and its first byte halts.
 */
import { EVM } from '@ethereumjs/evm'

type Message = Parameters<EVM['runInterpreter']>[0]

const DELEGATION_PREFIX = [0xef, 0x01, 0x00]
const DELEGATION_BYTES = 23

export class DelegatingEvm extends EVM {
  protected override async _loadCode(message: Message): Promise<void> {
    if (!message.code && this.getPrecompile(message.codeAddress) === undefined) {
      const code = await this.stateManager.getCode(message.codeAddress)
      if (code.length !== DELEGATION_BYTES && DELEGATION_PREFIX.every((byte, i) => code[i] === byte)) {
        message.code = code
        message.isCompiled = false
        message.chargeCodeAccesses = true
        return
      }
    }
    await super._loadCode(message)
  }
}
