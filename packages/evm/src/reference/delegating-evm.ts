/** The library throws for delegations of invalid length, which overrides may set. */
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
