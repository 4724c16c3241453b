/**
 * Shared with AssemblyScript, so only constants. Words are four little-endian 64-bit limbs, addresses three. The tables hold what
 * a transaction of 1,000,000,000 gas can write from Berlin on: table-sizes.test.ts.
 */

export const PAGE = 0x10000

export const STATIC_DATA = 0x400
export const MATH_SCRATCH = 0x10000
/** From `MATH_SCRATCH` on. */
export const KECCAK_STATE_OFFSET = 0x200
export const SCRATCH = 0x20000
export const CONTEXT = 0x24000
export const OPCODE_TABLE = 0x25000
export const BLOB_HASHES = 0x26000
/** A count, the records, and the hash that the host looks up. */
export const HOT_CODES = 0x38000
export const FRAMES = 0x40000
export const JUMP_TABLES = 0x90000
export const STACK = 0x100000
export const ACCOUNT_INDEX = 0x2200000
export const ACCOUNTS = 0x2a00000
export const SLOT_INDEX = 0xea00000
export const SLOTS = 0x12a00000
export const JOURNAL = 0x22a00000
export const LOGS = 0x28a00000
export const CODE_BUCKETS = 0x30200000
export const CODE_ENTRIES = 0x30210000
export const CODE_ARENA = 0x30410000
export const RETURN_DATA = 0x34410000
export const MEMORY = 0x38410000
/**
 * More than 1 GiB above MEMORY. So much costs 3 w + w^2 / 512 gas for w = 2^25 words: 2.2 * 10^12 in one frame, and 2.2 * 10^9
 * when all 1025 frames have an equal share, which is cheapest.
 */
export const MEMORY_LIMIT = 0x7f000000
/** Continues JOURNAL. */
export const MORE_JOURNAL = 0x80000000
/** Continues SLOTS. */
export const MORE_SLOTS = 0x96000000

export const MAX_BLOB_HASHES = 2048
export const MAX_FRAMES = 1025
export const FRAME_BYTES = 256
export const JUMP_TABLES_BYTES = 0x70000
export const HOT_CODES_COUNT = 0
/** Frames that left compiled code; the host sets it back to 0. */
export const HOT_CODES_BAILS = 0x1fc
export const HOT_CODES_HASH = 0x200
export const MAX_HOT_CODES = 100
export const MAX_STACK_ITEMS = 1024
export const ACCOUNT_BYTES = 192
export const ACCOUNT_CAPACITY = 0x100000
/** Above this count, an account whose access cannot be paid leaves no record. */
export const MAX_UNPAID_ACCOUNTS = 0x40000
export const ACCOUNT_INDEX_MASK = 0x1fffff
export const SLOT_BYTES = 128
export const SLOT_SHIFT = 7
/** In SLOTS; the others are in MORE_SLOTS. */
export const FIRST_SLOTS = 0x200000
export const SLOT_CAPACITY = 0x930000
export const SLOT_INDEX_MASK = 0xffffff
export const JOURNAL_RECORD_BYTES = 48
/** In JOURNAL; the others are in MORE_JOURNAL. */
export const FIRST_JOURNAL_RECORDS = 0x200000
export const JOURNAL_CAPACITY = 0x930000
export const LOG_BYTES = 0x7800000
export const CODE_BUCKET_MASK = 0x3fff
export const CODE_ENTRY_BYTES = 128
export const CODE_ENTRY_CAPACITY = 0x4000
export const CODE_ARENA_BYTES = 0x4000000
export const RETURN_DATA_BYTES = 0x4000000
/** Zeros that PUSH32 may read. */
export const CODE_PADDING = 64

// 8 bytes for each opcode.
export const OPCODE_TABLE_BYTES = 0x800
/** u32 */
export const OPCODE_GAS = 0
/** u16, bytes on the stack, or UNDEFINED_OPCODE. */
export const OPCODE_NEEDS = 4
/** u16, bytes beyond that. */
export const OPCODE_SPAN = 6
export const UNDEFINED_OPCODE = 0xffff

// Words unless a type is given.
export const CONTEXT_ORIGIN = 0x000
export const CONTEXT_GAS_PRICE = 0x020
export const CONTEXT_FEE_RECIPIENT = 0x040
export const CONTEXT_TIMESTAMP = 0x060
export const CONTEXT_NUMBER = 0x080
export const CONTEXT_PREV_RANDAO = 0x0a0
export const CONTEXT_GAS_LIMIT = 0x0c0
export const CONTEXT_CHAIN_ID = 0x0e0
export const CONTEXT_BASE_FEE = 0x100
export const CONTEXT_BLOB_BASE_FEE = 0x120
/** u32 */
export const CONTEXT_BLOB_HASH_COUNT = 0x140

/** Ten secret u64. */
export const HASH_SEEDS = 0x24400

// Fork parameters, u32 each.
export const PARAM_ACCESS_LISTS = 0x200
export const PARAM_COLD_ACCOUNT_EXTRA = 0x204
export const PARAM_COLD_SLOT_EXTRA = 0x208
export const PARAM_COLD_ACCOUNT = 0x20c
export const PARAM_COLD_SLOT = 0x210
export const PARAM_WARM_ACCESS = 0x214
export const PARAM_EXP_BYTE = 0x218
export const PARAM_CLEARS_EMPTY = 0x21c
export const PARAM_KEEPS_64TH = 0x220
export const PARAM_SELF_DESTRUCT_NEW_ACCOUNT = 0x224
export const PARAM_SELF_DESTRUCT_REFUND = 0x228
export const PARAM_DESTROYS_ONLY_NEW = 0x22c
/** EIP-1283, EIP-2200 */
export const PARAM_NET_STORAGE = 0x230
export const PARAM_STORAGE_SENTRY = 0x234
export const PARAM_STORAGE_NOOP = 0x238
export const PARAM_STORAGE_SET = 0x23c
export const PARAM_STORAGE_RESET = 0x240
export const PARAM_STORAGE_CLEAR_REFUND = 0x244
/** Zero when unlimited. */
export const PARAM_MAX_CODE_BYTES = 0x248
export const PARAM_MAX_INIT_CODE_BYTES = 0x24c
export const PARAM_INIT_CODE_WORD = 0x250
/** EIP-3541 */
export const PARAM_REJECTS_EF = 0x254
/** EIP-2 */
export const PARAM_CREATION_MUST_PAY = 0x258
export const PARAM_CONTRACT_NONCE = 0x25c
/** EIP-7702 */
export const PARAM_DELEGATIONS = 0x260
export const PARAM_HOST_WARM_SLOTS = 0x264
export const PARAM_POLL_INTERVAL = 0x268
export const PARAM_TRACED = 0x26c
/** Frames after which a code is hot, or 0. */
export const PARAM_HOT_ENTRIES = 0x270
export const PARAM_SHA256_BASE = 0x274
export const PARAM_SHA256_WORD = 0x278
export const PARAM_IDENTITY_BASE = 0x27c
export const PARAM_IDENTITY_WORD = 0x280
export const TRACE_CALLS = 1
export const TRACE_STEPS = 2
export const LOOKUP = 0x24800

/** u32: a KIND constant. */
export const MESSAGE_KIND = 0x300
export const MESSAGE_INPUT_LENGTH = 0x304
/** i64 */
export const MESSAGE_GAS = 0x308
export const MESSAGE_FROM = 0x310
export const MESSAGE_TO = 0x330
export const MESSAGE_VALUE = 0x350
/** u32: a STATUS constant. */
export const RESULT_STATUS = 0x380
/** u32: a HALT constant. */
export const RESULT_HALT = 0x384
export const RESULT_OUTPUT = 0x388
export const RESULT_OUTPUT_LENGTH = 0x38c
/** i64 */
export const RESULT_GAS = 0x390
/** i64 */
export const RESULT_REFUND = 0x398
export const RESULT_CREATED = 0x3a0
export const RESULT_HALT_OPCODE = 0x3c0
export const RESULT_HALT_AMOUNT = 0x3c4

export const FRAME_CODE = 0
export const FRAME_CODE_LENGTH = 4
/** Zero for init code. */
export const FRAME_CODE_ENTRY = 8
/** Bitmap, valid with FRAME_JUMPS_KNOWN. */
export const FRAME_JUMPS = 12
export const FRAME_PC = 16
export const FRAME_STACK = 20
/** One past the top item. */
export const FRAME_SP = 24
export const FRAME_MEMORY = 28
/** i64 */
export const FRAME_GAS = 32
export const FRAME_MEMORY_BYTES = 40
export const FRAME_INPUT = 44
export const FRAME_INPUT_LENGTH = 48
/** Absolute address in the caller's memory. */
export const FRAME_OUTPUT = 52
export const FRAME_OUTPUT_LENGTH = 56
export const FRAME_ACCOUNT = 60
export const FRAME_CODE_ADDRESS = 64
export const FRAME_CALLER = 88
export const FRAME_VALUE = 112
export const FRAME_STATIC = 144
export const FRAME_KIND = 148
export const FRAME_JOURNAL_MARK = 152
export const FRAME_LOG_MARK = 156
/** i64 */
export const FRAME_REFUND_MARK = 160
/** Zero when interpreted. */
export const FRAME_COMPILED = 168
export const FRAME_HALT = 172
/** i64 */
export const FRAME_GAS_LIMIT = 176
export const FRAME_RETURN = 184
export const FRAME_RETURN_LENGTH = 188
export const FRAME_JUMPS_KNOWN = 192
export const FRAME_DEPTH = 196
export const FRAME_STACK_END = 200
export const FRAME_HALT_OPCODE = 204
/** Stack items, or bytes of code, that the halt reason counts. */
export const FRAME_HALT_AMOUNT = 208
export const FRAME_RESUME = 212

// Most fields require ACCOUNT_LOADED.
export const ACCOUNT_ADDRESS = 0
export const ACCOUNT_FLAGS = 24
export const ACCOUNT_POSITION = 28
export const ACCOUNT_BALANCE = 32
/** u64 */
export const ACCOUNT_NONCE = 64
export const ACCOUNT_PRECOMPILE = 72
export const ACCOUNT_CODE = 76
export const ACCOUNT_CODE_HASH = 80

export const ACCOUNT_LOADED = 0x1
/** Was cold when accessed. */
export const ACCOUNT_LISTED = 0x2
/** EIP-7610 */
export const ACCOUNT_HAS_STORAGE = 0x4
export const ACCOUNT_EXISTS = 0x10
export const ACCOUNT_WARM = 0x20
export const ACCOUNT_TOUCHED = 0x40
export const ACCOUNT_CREATED = 0x80
export const ACCOUNT_DESTROYED = 0x100
export const ACCOUNT_CHANGED = 0x200

export const SLOT_KEY = 0
export const SLOT_VALUE = 32
export const SLOT_ORIGINAL = 64
export const SLOT_ACCOUNT = 96
export const SLOT_FLAGS = 100
export const SLOT_POSITION = 104

export const SLOT_LOADED = 0x1
export const SLOT_LISTED = 0x2
export const SLOT_TRANSIENT = 0x4
export const SLOT_WARM = 0x20
export const SLOT_CHANGED = 0x200

// Address, topics as words, data padded to 8 bytes.
export const LOG_ADDRESS = 0
export const LOG_TOPIC_COUNT = 24
export const LOG_DATA_LENGTH = 28
export const LOG_TOPICS = 32

export const CODE_HASH = 0
export const CODE_BYTES = 32
export const CODE_LENGTH = 36
export const CODE_JUMPS = 40
export const CODE_JUMPS_KNOWN = 44
/** Zero when not compiled. */
export const CODE_COMPILED = 48
export const CODE_ENTERED = 52
/** Running frames. */
export const CODE_PINS = 56
export const CODE_NEXT = 60
export const CODE_BLOCK = 64
/** 1 for an EIP-7702 delegation. */
export const CODE_DELEGATES = 68
export const CODE_DELEGATE = 72

export const KIND_CALL = 0
export const KIND_CALLCODE = 1
export const KIND_DELEGATECALL = 2
export const KIND_STATICCALL = 3
export const KIND_CREATE = 4
export const KIND_CREATE2 = 5
export const KIND_SELFDESTRUCT = 6

export const STATUS_RETURN = 0
export const STATUS_REVERT = 1
export const STATUS_HALT = 2
/** CALL, CREATE or SELFDESTRUCT. */
export const STATUS_CALL = 3
/** The interpreter continues. */
export const STATUS_BAIL = 4
export const STATUS_FUEL = 5
export const STATUS_STEPPED = 6

export const HALT_NONE = 0
export const HALT_OUT_OF_GAS = 1
export const HALT_STACK_UNDERFLOW = 2
export const HALT_STACK_OVERFLOW = 3
export const HALT_UNDEFINED_OPCODE = 4
export const HALT_INVALID_JUMP = 5
export const HALT_WRITE_PROTECTION = 6
export const HALT_RETURN_DATA_BOUNDS = 7
/** The end of a memory range beyond 64 bits. */
export const HALT_GAS_OVERFLOW = 8
export const HALT_STORAGE_SENTRY = 9
export const HALT_CODE_STORE_OUT_OF_GAS = 10
export const HALT_CODE_SIZE = 11
export const HALT_CODE_EF = 12
export const HALT_COLLISION = 13
export const HALT_INIT_CODE_SIZE = 14
export const HALT_DEPTH = 15
export const HALT_BALANCE = 16
export const HALT_NONCE = 17
export const HALT_PRECOMPILE = 18
/** The end of a memory range beyond what the price of memory can express. */
export const HALT_MEMORY_OVERFLOW = 19

export const LIMIT_ACCOUNTS = 1
export const LIMIT_SLOTS = 2
export const LIMIT_JOURNAL = 3
export const LIMIT_LOGS = 4
export const LIMIT_CODE = 5
export const LIMIT_RETURN_DATA = 6
export const LIMIT_INPUT = 7

export const TRACE = 0x24600
/** u32: a KIND constant. */
export const TRACE_KIND = 0
export const TRACE_DEPTH = 4
/** i64 */
export const TRACE_GAS = 8
export const TRACE_INPUT = 16
export const TRACE_INPUT_LENGTH = 20
export const TRACE_FROM = 24
export const TRACE_TO = 48
export const TRACE_VALUE = 72
/** u32: a STATUS and a HALT constant. */
export const TRACE_STATUS = 104
export const TRACE_HALT = 108
/** i64 */
export const TRACE_GAS_USED = 112
export const TRACE_OUTPUT = 120
export const TRACE_OUTPUT_LENGTH = 124
