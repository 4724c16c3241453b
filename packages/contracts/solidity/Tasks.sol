// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What tasks ask about agents.
interface AgentRegistry {
    function ownerOf(bytes32 agentId) external view returns (address);
    function isStaked(bytes32 agentId) external view returns (bool);
    function lockStake(bytes32 agentId) external;
    function unlockStake(bytes32 agentId) external;
}

/// @title Tasks
/// @notice Work for a reward that is held here from the moment a task is created.
/// @dev What a party is due is noted and withdrawn by the party, so that nobody can hold up a transition by
///      refusing a payment. Each function that changes a task's status says from what to what.
///      A claim locks the agent's minimum stake until it ends, so claims cost capital; a claim that brings no result in
///      time can be ended by anyone; and a creator can choose who may claim.
contract Tasks {
    enum Status {
        Open,
        Claimed,
        Completed,
        Disputed,
        Resolved
    }

    /// How a task ended. The status says only that it did.
    enum Outcome {
        /// It has not ended; its status says what can happen next.
        Pending,
        /// The result counts: it was accepted, or a ruling gave the agent a part of the reward.
        Completed,
        /// The creator took the task back before anyone claimed it.
        Cancelled,
        /// The deadline passed without a result.
        Expired,
        /// A disputed result was ruled to be worth nothing.
        Refunded
    }

    struct Task {
        address creator;
        Status status;
        /// Seconds; until when it can be claimed and completed.
        uint64 deadline;
        /// Only the agent that the creator chose can claim it.
        bool inviteOnly;
        /// The claim was made by an agent that the creator had chosen.
        bool chosenClaim;
        /// How it ended.
        Outcome outcome;
        /// Seconds; until when the agent of a claimed task is undisturbed, a completed task can be disputed, or a
        /// disputed one ruled on.
        uint64 decisionDeadline;
        address agent;
        /// For how long an agent is undisturbed after its claim; zero for `claimPeriod`.
        uint32 claimSeconds;
        uint256 reward;
        bytes32 agentId;
        bytes32 resultHash;
        /// The agent that the creator chose; zero when none is chosen.
        bytes32 chosenAgentId;
    }

    /// @notice Longest description and longest requirements, in bytes.
    uint256 public constant MAX_TEXT_BYTES = 8192;
    /// @notice Farthest deadline, in seconds from now.
    uint256 public constant MAX_DURATION = 365 days;
    /// @notice Longest time of a claim, in seconds.
    uint256 public constant MAX_CLAIM_DURATION = 30 days;

    /// @notice Who is an agent, and staked.
    AgentRegistry public immutable agents;
    /// @notice Who rules on disputes.
    address public immutable arbiter;
    /// @notice Seconds after a claim in which only its agent can end it, unless the task says otherwise.
    uint32 public immutable claimPeriod;
    /// @notice Seconds a creator has to dispute a completed task.
    uint64 public immutable reviewPeriod;
    /// @notice Seconds the arbiter has to rule.
    uint64 public immutable arbitrationPeriod;

    /// @notice Number the next task gets; the first has 1.
    uint256 public nextTaskId = 1;
    /// @notice Wei an address can withdraw.
    mapping(address => uint256) public balanceOf;
    mapping(uint256 taskId => Task) private tasks;

    event TaskCreated(uint256 indexed taskId, address indexed creator, string description, uint256 reward);
    /// @notice What the creator expects, beside the description: kept in the log only.
    event TaskRequirements(uint256 indexed taskId, uint256 deadline, bytes requirements);
    /// @notice An agent's owner would take the task on.
    event TaskApplied(uint256 indexed taskId, bytes32 indexed agentId, address indexed agent);
    /// @notice From now on only this agent can claim the task; nobody while it is zero.
    event AgentChosen(uint256 indexed taskId, bytes32 indexed agentId);
    /// @notice A claim ended without a result, by its agent or by the creator: the task is open again.
    event TaskReopened(uint256 indexed taskId, bytes32 indexed agentId, address indexed by);
    event TaskClaimed(uint256 indexed taskId, bytes32 indexed agentId, address indexed agent);
    event TaskCompleted(uint256 indexed taskId, address indexed agent, bytes32 resultHash, uint256 reviewUntil);
    event TaskDisputed(uint256 indexed taskId, address indexed creator, string reason, uint256 ruleUntil);
    /// @notice The end of a task whose result counts; `amount` is the agent's part of the reward, in wei.
    event TaskAccepted(uint256 indexed taskId, address indexed agent, uint256 amount);
    /// @notice The end of a task that its creator took back.
    event TaskCancelled(uint256 indexed taskId, address indexed creator);
    /// @notice The end of a task without a result by its deadline. `agent` held the claim, or is zero.
    event TaskExpired(uint256 indexed taskId, address indexed agent);
    /// @notice The end of a task whose disputed result was ruled to be worth nothing.
    event TaskRefunded(uint256 indexed taskId, address indexed agent);
    /// @notice The end of every task: who got how much of the reward, in wei. The event before it says how it ended.
    event TaskResolved(uint256 indexed taskId, uint256 toAgent, uint256 toCreator);
    event Withdrawn(address indexed to, uint256 amount);

    error UnknownTask(uint256 taskId);
    error WrongStatus(uint256 taskId, Status status);
    error RewardNotSent(uint256 reward, uint256 sent);
    error BadClaimPeriod(uint256 seconds_, uint256 longest);
    error BadDeadline(uint256 deadline, uint256 latest);
    error TextTooLong(uint256 bytesGiven, uint256 bytesAllowed);
    error DeadlinePassed(uint256 deadline);
    error TooEarly(uint256 possibleFrom);
    error NotTheCreator(address creator);
    error NotTheAgent(address agent);
    error NotTheArbiter(address arbiter);
    error NotTheAgentsOwner(bytes32 agentId);
    error AgentNotStaked(bytes32 agentId);
    error AgentNotChosen(bytes32 agentId, bytes32 chosen);
    error ResultHashIsZero();
    error ShareTooLarge(uint256 toAgent, uint256 reward);
    error NothingToWithdraw();
    error PaymentFailed(address to);

    constructor(
        AgentRegistry agents_,
        address arbiter_,
        uint32 claimPeriod_,
        uint64 reviewPeriod_,
        uint64 arbitrationPeriod_
    ) {
        agents = agents_;
        arbiter = arbiter_;
        claimPeriod = claimPeriod_;
        reviewPeriod = reviewPeriod_;
        arbitrationPeriod = arbitrationPeriod_;
    }

    /// @notice Offers a task; the reward has to be sent along and is held until the task is resolved.
    /// @dev Nothing -> Open.
    /// @param reward Wei, exactly the value sent.
    /// @param deadline Seconds since 1970 by which the task has to be completed.
    /// @return taskId Its number.
    function createTask(string calldata description, uint256 reward, uint256 deadline, bytes calldata requirements)
        external
        payable
        returns (uint256 taskId)
    {
        taskId = _create(description, reward, deadline, requirements);
    }

    /// @notice Offers a task as `createTask` does, which only an agent of the creator's choice can claim.
    /// @dev Nothing -> Open.
    /// @param agentId The agent; zero to choose one later among those that apply.
    /// @param claimSeconds For how long the agent is undisturbed after its claim; zero for `claimPeriod`.
    /// @return taskId Its number.
    function createTaskFor(
        string calldata description,
        uint256 reward,
        uint256 deadline,
        bytes calldata requirements,
        bytes32 agentId,
        uint256 claimSeconds
    ) external payable returns (uint256 taskId) {
        if (claimSeconds > MAX_CLAIM_DURATION) revert BadClaimPeriod(claimSeconds, MAX_CLAIM_DURATION);
        taskId = _create(description, reward, deadline, requirements);
        Task storage task = tasks[taskId];
        task.claimSeconds = uint32(claimSeconds);
        _choose(taskId, task, agentId);
    }

    /// @notice Says that an agent of the sender's would take a task on. Only a log: nothing is stored or locked.
    function applyForTask(uint256 taskId, bytes32 agentId) external {
        _in(taskId, Status.Open);
        if (agents.ownerOf(agentId) != msg.sender) revert NotTheAgentsOwner(agentId);
        if (!agents.isStaked(agentId)) revert AgentNotStaked(agentId);
        emit TaskApplied(taskId, agentId, msg.sender);
    }

    /// @notice Lets only one agent claim a task that is open, or that will be open again. Only the creator may.
    /// @param agentId The agent; zero for nobody, until another call names one.
    function chooseAgent(uint256 taskId, bytes32 agentId) external {
        Task storage task = _known(taskId);
        if (task.status != Status.Open && task.status != Status.Claimed) revert WrongStatus(taskId, task.status);
        if (task.creator != msg.sender) revert NotTheCreator(task.creator);
        _choose(taskId, task, agentId);
    }

    /// @notice Takes a task on in the name of an agent the sender owns. Of the agent's stake, the minimum must be free,
    ///         and is locked while the claim lasts.
    /// @dev Open -> Claimed, until the deadline.
    function claimTask(uint256 taskId, bytes32 agentId) external {
        Task storage task = _in(taskId, Status.Open);
        _before(task.deadline);
        if (agents.ownerOf(agentId) != msg.sender) revert NotTheAgentsOwner(agentId);
        if (task.inviteOnly && agentId != task.chosenAgentId) revert AgentNotChosen(agentId, task.chosenAgentId);
        if (!agents.isStaked(agentId)) revert AgentNotStaked(agentId);
        task.status = Status.Claimed;
        task.agent = msg.sender;
        task.agentId = agentId;
        task.chosenClaim = task.inviteOnly;
        task.decisionDeadline = uint64(block.timestamp) + (task.claimSeconds == 0 ? claimPeriod : task.claimSeconds);
        agents.lockStake(agentId);
        emit TaskClaimed(taskId, agentId, msg.sender);
    }

    /// @notice Ends a claim without a result: by the agent at any time, by anyone once the agent's time is over. To keep
    ///         strangers out then, the creator chooses an agent first.
    /// @dev Claimed -> Open.
    function reopenTask(uint256 taskId) external {
        Task storage task = _in(taskId, Status.Claimed);
        if (task.agent != msg.sender) _after(task.decisionDeadline);
        bytes32 agentId = task.agentId;
        task.status = Status.Open;
        task.agent = address(0);
        task.agentId = bytes32(0);
        agents.unlockStake(agentId);
        emit TaskReopened(taskId, agentId, msg.sender);
    }

    /// @notice Takes an open task back.
    /// @dev Open -> Resolved, by the creator, at any time.
    function cancelTask(uint256 taskId) external {
        Task storage task = _in(taskId, Status.Open);
        if (task.creator != msg.sender) revert NotTheCreator(task.creator);
        emit TaskCancelled(taskId, msg.sender);
        _resolve(taskId, task, Outcome.Cancelled, 0);
    }

    /// @notice Hands the result in. After the agent's time is over this still counts, unless somebody reopened the task.
    /// @dev Claimed -> Completed, by the agent, until the deadline.
    /// @param resultHash Commitment to the result, not zero.
    function completeTask(uint256 taskId, bytes32 resultHash) external {
        Task storage task = _in(taskId, Status.Claimed);
        if (task.agent != msg.sender) revert NotTheAgent(task.agent);
        _before(task.deadline);
        if (resultHash == bytes32(0)) revert ResultHashIsZero();
        task.status = Status.Completed;
        task.resultHash = resultHash;
        task.decisionDeadline = uint64(block.timestamp) + reviewPeriod;
        emit TaskCompleted(taskId, msg.sender, resultHash, task.decisionDeadline);
    }

    /// @notice Gives the reward of a task that was not completed in time back to its creator.
    /// @dev Open or Claimed -> Resolved, by anyone, after the deadline.
    function refundTask(uint256 taskId) external {
        Task storage task = _known(taskId);
        if (task.status != Status.Open && task.status != Status.Claimed) revert WrongStatus(taskId, task.status);
        _after(task.deadline);
        emit TaskExpired(taskId, task.agent);
        _resolve(taskId, task, Outcome.Expired, 0);
    }

    /// @notice Pays the agent: by the creator at once, by anyone once the review period is over.
    /// @dev Completed -> Resolved.
    function acceptTask(uint256 taskId) external {
        Task storage task = _in(taskId, Status.Completed);
        if (task.creator != msg.sender) _after(task.decisionDeadline);
        _accept(taskId, task, task.reward);
    }

    /// @notice Objects to a result.
    /// @dev Completed -> Disputed, by the creator, until the review period is over.
    function disputeTask(uint256 taskId, string calldata reason) external {
        Task storage task = _in(taskId, Status.Completed);
        if (task.creator != msg.sender) revert NotTheCreator(task.creator);
        _before(task.decisionDeadline);
        if (bytes(reason).length > MAX_TEXT_BYTES) revert TextTooLong(bytes(reason).length, MAX_TEXT_BYTES);
        task.status = Status.Disputed;
        task.decisionDeadline = uint64(block.timestamp) + arbitrationPeriod;
        emit TaskDisputed(taskId, msg.sender, reason, task.decisionDeadline);
    }

    /// @notice The arbiter's ruling. After the arbitration period anyone may call it: an agent that the creator chose gets
    ///         half, any other nothing.
    /// @dev Disputed -> Resolved. Anyone can claim a task that is open to all and hand in junk, so without a ruling the
    ///      reward goes back; an agent that does not want to depend on the arbiter waits until it is chosen.
    /// @param toAgent Wei of the reward for the agent; what is left goes to the creator.
    function resolveTask(uint256 taskId, uint256 toAgent) external {
        Task storage task = _in(taskId, Status.Disputed);
        if (block.timestamp > task.decisionDeadline) {
            toAgent = task.chosenClaim ? task.reward / 2 : 0;
        } else if (msg.sender != arbiter) {
            revert NotTheArbiter(arbiter);
        }
        if (toAgent > task.reward) revert ShareTooLarge(toAgent, task.reward);
        if (toAgent > 0) {
            _accept(taskId, task, toAgent);
        } else {
            emit TaskRefunded(taskId, task.agent);
            _resolve(taskId, task, Outcome.Refunded, 0);
        }
    }

    /// @notice Pays out all that the sender is due from resolved tasks.
    function withdraw() external {
        uint256 amount = balanceOf[msg.sender];
        if (amount == 0) revert NothingToWithdraw();
        balanceOf[msg.sender] = 0;
        emit Withdrawn(msg.sender, amount);
        (bool paid,) = msg.sender.call{value: amount}("");
        if (!paid) revert PaymentFailed(msg.sender);
    }

    /// @notice Where a task stands, which is what a client needs to know what can be done with it next. To know whether
    ///         the work was done, ask `outcome`: 4 (resolved) is the status of every task that ended, including those
    ///         nobody worked on. Reverts for a number that was never given out.
    /// @return status 0 open, 1 claimed, 2 completed, 3 disputed, 4 resolved.
    /// @return agent Who claimed it; the zero address before.
    /// @return resultHash The result handed in; zero before.
    function getTaskStatus(uint256 taskId) external view returns (uint8 status, address agent, bytes32 resultHash) {
        Task storage task = _known(taskId);
        return (uint8(task.status), task.agent, task.resultHash);
    }

    /// @notice How a task ended, which is what a client needs that counts completed tasks: 1 means that the result counts.
    ///         A result under review (status 2) is pending here, because it can still be refused. Reverts for a number that
    ///         was never given out.
    /// @return 0 pending: not ended; 1 completed: accepted, or paid in part by a ruling; 2 cancelled by the creator;
    ///         3 expired: no result by the deadline; 4 refunded: a ruling gave the agent nothing.
    function outcome(uint256 taskId) external view returns (Outcome) {
        return _known(taskId).outcome;
    }

    /// @notice All that is stored of a task.
    function getTask(uint256 taskId) external view returns (Task memory) {
        return _known(taskId);
    }

    function _create(string calldata description, uint256 reward, uint256 deadline, bytes calldata requirements)
        private
        returns (uint256 taskId)
    {
        if (msg.value != reward) revert RewardNotSent(reward, msg.value);
        uint256 latest = block.timestamp + MAX_DURATION;
        if (deadline <= block.timestamp || deadline > latest) revert BadDeadline(deadline, latest);
        if (bytes(description).length > MAX_TEXT_BYTES) revert TextTooLong(bytes(description).length, MAX_TEXT_BYTES);
        if (requirements.length > MAX_TEXT_BYTES) revert TextTooLong(requirements.length, MAX_TEXT_BYTES);
        taskId = nextTaskId++;
        Task storage task = tasks[taskId];
        task.creator = msg.sender;
        task.reward = reward;
        task.deadline = uint64(deadline);
        emit TaskCreated(taskId, msg.sender, description, reward);
        emit TaskRequirements(taskId, deadline, requirements);
    }

    function _choose(uint256 taskId, Task storage task, bytes32 agentId) private {
        task.inviteOnly = true;
        task.chosenAgentId = agentId;
        emit AgentChosen(taskId, agentId);
    }

    function _accept(uint256 taskId, Task storage task, uint256 toAgent) private {
        emit TaskAccepted(taskId, task.agent, toAgent);
        _resolve(taskId, task, Outcome.Completed, toAgent);
    }

    function _resolve(uint256 taskId, Task storage task, Outcome outcome_, uint256 toAgent) private {
        uint256 toCreator = task.reward - toAgent;
        bool wasClaimed = task.status != Status.Open;
        task.status = Status.Resolved;
        task.outcome = outcome_;
        if (wasClaimed) agents.unlockStake(task.agentId);
        if (toAgent > 0) balanceOf[task.agent] += toAgent;
        if (toCreator > 0) balanceOf[task.creator] += toCreator;
        emit TaskResolved(taskId, toAgent, toCreator);
    }

    function _known(uint256 taskId) private view returns (Task storage task) {
        task = tasks[taskId];
        if (task.creator == address(0)) revert UnknownTask(taskId);
    }

    function _in(uint256 taskId, Status status) private view returns (Task storage task) {
        task = _known(taskId);
        if (task.status != status) revert WrongStatus(taskId, task.status);
    }

    function _before(uint256 time) private view {
        if (block.timestamp > time) revert DeadlinePassed(time);
    }

    function _after(uint256 time) private view {
        if (block.timestamp <= time) revert TooEarly(time + 1);
    }
}
