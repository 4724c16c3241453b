import { type AttackShape, loop } from './attack-program.ts'
import { precompileInputs } from './precompile-inputs.ts'

export function precompileShapes(): readonly AttackShape[] {
  return precompileInputs().map(({ name, address, data, rules }) => ({
    name: `precompile: ${name}`,
    code: loop(`0 0 CALLDATASIZE 0 ${address} GAS STATICCALL POP`, 'CALLDATASIZE 0 0 CALLDATACOPY'),
    data,
    ...(rules === undefined ? {} : { rules }),
  }))
}
