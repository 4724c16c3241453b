/** Sets the session's flags (warm, created) and the precompile of a new account record, without reading state. */
// @ts-ignore: decorator
@external('env', 'openAccount')
export declare function openAccount(account: usize): void

// @ts-ignore: decorator
@external('env', 'loadAccount')
export declare function loadAccount(account: usize): void

// @ts-ignore: decorator
@external('env', 'openSlot')
export declare function openSlot(slot: usize): void

// @ts-ignore: decorator
@external('env', 'loadSlot')
export declare function loadSlot(slot: usize): void

/** Calls `allocateCode` for the account's code hash, writes the bytes and returns the code record. */
// @ts-ignore: decorator
@external('env', 'loadCode')
export declare function loadCode(account: usize): usize

// @ts-ignore: decorator
@external('env', 'keepCode')
export declare function keepCode(hash: usize, code: usize, length: u32): void

/** Writes the hash as bytes to `out`; returns 0 if the block is unknown. */
// @ts-ignore: decorator
@external('env', 'blockHash')
export declare function blockHash(number: u64, out: usize): i32

/** Writes the output to RETURN_DATA; returns the used gas, -1 when `gas` is too little, or -2 for a bad input. */
// @ts-ignore: decorator
@external('env', 'precompile')
export declare function precompile(id: u32, input: usize, length: u32, gas: i64, lengthOut: usize): i64

// @ts-ignore: decorator
@external('env', 'poll')
export declare function poll(): void

/** Throws `evm/limit`. */
// @ts-ignore: decorator
@external('env', 'limit')
export declare function limit(what: i32): void

// @ts-ignore: decorator
@external('env', 'traceStep')
export declare function traceStep(frame: usize, opcode: u32, cost: i64, refund: i64, failure: i32): void

// @ts-ignore: decorator
@external('env', 'traceEnter')
export declare function traceEnter(): void

// @ts-ignore: decorator
@external('env', 'traceExit')
export declare function traceExit(): void

// @ts-ignore: decorator
@external('env', 'traceLog')
export declare function traceLog(log: usize): void
