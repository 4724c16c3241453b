export namespace Call {
  export let kind: u32 = 0
  export let gas: i64 = 0
  export let gasLimit: i64 = 0
  export let storageAccount: usize = 0
  export let codeAccount: usize = 0
  export let caller: usize = 0
  export let value: usize = 0
  export let isStatic: bool = false
  export let input: usize = 0
  export let inputLength: u32 = 0
  export let output: usize = 0
  export let outputLength: u32 = 0
}
