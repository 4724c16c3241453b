/** The call that is being made: what its opcode or the outermost message asks for. */
export namespace Call {
  export let kind: u32 = 0
  /** Gas that is left of what the call was given. */
  export let gas: i64 = 0
  export let gasLimit: i64 = 0
  /** Account whose storage the code uses. */
  export let storageAccount: usize = 0
  /** Account that the call names. */
  export let codeAccount: usize = 0
  /** Address limbs. */
  export let caller: usize = 0
  /** Where the value is; DELEGATECALL passes on its frame's. */
  export let value: usize = 0
  export let isStatic: bool = false
  export let input: usize = 0
  export let inputLength: u32 = 0
  export let output: usize = 0
  export let outputLength: u32 = 0
}
