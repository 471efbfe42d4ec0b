"""Which words of both languages are one term, and which tell nothing."""

from __future__ import annotations

# Words that every description of a broken run holds; they tell nothing apart.
STOP_WORDS = """
a about above actually after again all also always am an and any anything are as at be because
become been before being but by can completely could do doe during each even every few for from
get give go goe going got had has have he help here how i if in into is issue it its itself
just keep know lead led like make many maybe me more most much my need now of off often on one only or our
over own per please problem quite really right same say seem set should show shown since so some
somebody someone start still such sure than thank thanks that the their them then there these they
thing this those though time to too try until up use used using very want was we well were what
when where whether which while who why will with would you your happen happens happened happening
ran soon night overnight midnight yesterday tonight morning weekend middle
torch pytorch finetune finetuning finetuned train training trainer model run running step iteration
"""

# term: words that mean it, as they stand after stemming.
SYNONYMS = """
hang: hang hung hanging stuck stick froze freez freeze freezes freezing stall stalled deadlock
decrease: decrease drop fall fell reduce lower shrink improve converge learn decline degrade
crash: crash collapse die died dead death
garbage: garbage gibberish nonsense garbled rubbish nonsensical
worse: worse bad terrible poor awful
repeat: repeat repetition repetitive
unbalanced: unbalanced imbalance imbalanced uneven unevenly skewed
available: available usable
!available: unavailable unusable
missing: missing lack absent
onlyone: onlyone
ineffective: ignored ignores ineffective
ignorable: ignore ignorable ignoring
idle: idle idling underutilized underutilised underused
pending: pending queue queued
high: high huge big
low: low small tiny
increase: increase grow grew grown rise rising rose climb growing creep
spike: spike jump shoot spiky surge
diverge: diverge explode blow explosion exploding blew
oscillate: oscillate fluctuate fluctuation oscillation bounce swing
noroom: exhaust exhausted
gradient: grad gradient
nan: nan
inf: inf infinity infinite
checkpoint: checkpoint ckpt weight
resume: resume resuming restart restarting resumed restarted
kill: kill killed
corrupt: corrupt corrupted broken damaged truncated
slowing: slowing
slow: slow slower slowly
gpu: gpu card
host: machine server node nodes
allreduce: allreduce
error: error fail failure
strange: strange weird odd strangely
unknown: unrecognized unrecognised unknown
argument: argument arg flag option
two: 2 two
double: double twice 2x
half: half halv halve halved
zero: 0 zero
!match: mismatch differ different inconsistent discrepancy discrepant
!enough: insufficient
timeout: timeout
disappear: vanish disappear silent silently vanished disappeared
connect: connect connection connected reach
error: throw complain choke barf
garbage: trash gibberish babble jibberish
worse: dumber dumb lousy
decrease: sink sank plummet plunge
oscillate: zigzag wobble
spike: skyrocket skyrockets skyrocketed
exit: quit
accuracy: acc
evaluation: eval evaluation
validation: val validation
utilization: util utilisation
parameter: param
config: conf cfg configuration
folder: dir directory
process: proc procs
preprocess: prep preprocessing preparation
tokeniz: tokenization tokenisation tokenise tokenising tokenised
initializ: init initialise initialised initialising initialisation initialization
quantiz: quantise quantised quantising quantisation quantization
refus: reject rejected
logprob: logps logp
divisibl: divide divided
"""

# Chinese words and the terms that they are; the longest is taken first.
HAN_SYNONYMS = """
hang: 卡住不动 卡住 卡主 卡死 卡在 卡着 假死 僵住 挂起 挂住 挂死 不动 不走 没反应 没有反应 无响应 没有响应 没响应
hang: 死锁 停住 停在 没进度 没有进度 一直没动
sameoutput: 输出都一样 输出全一样 输出完全一样 输出都相同 预测都一样 预测全一样 预测结果都一样 预测结果全是同一类
sameoutput: 预测成同一类 全预测成一类 只预测一类 输出都是一样的 预测值都一样 预测全是同一类
loss: 损失函数 损失
lossscale: 损失缩放
learningrate: 学习率
gradient: 梯度
norm: 范数
gpumemory: 显存
speed: 速度 速率
double: 翻倍 翻了一倍 翻了倍 翻一倍 翻番 加倍 两倍 一倍
half: 一半 减半 腰斩 砍半 折半
hostmemory: 主机内存 系统内存 内存
sharedmemory: 共享内存
disk: 磁盘 硬盘
!enough: 太小
noroom: 满了 已满 爆满 用完 耗尽
overflow: 溢出 爆了 炸了 爆
diverge: 爆炸 发散
!enough: 不足 不够用 不够
!join: 接不上 衔接不上
join: 接得上 接上了
!decrease: 不往下走 不往下降 不学了 学不到 学不动 没学到 学不会 不再学
!decrease: 不下降 没有下降 不降 降不下来 降不下去 下不来 不收敛 没在学 平了 停滞
decrease: 骤降 降 下降 降低 降到 降得 降下来 变小 减小 掉到 衰减
forgot: 都不会了 全忘了 忘光了
increase: 不降反升 越训练越大 越训越大 越训越高 越练越高 越跑越高 一路往上
increase: 上升 升高 增长 增加 上涨 变高 变大 越来越大 涨
spike: 跳了一下 跳了 跳高 蹦高 蹦到 突然变大 突然升高 突然变高
spike: 尖峰 尖刺 毛刺 飙升 跳升 暴涨 突刺 跳到 跳变 突变
oscillate: 震荡 波动 抖动 来回跳 忽高忽低 反复横跳
timeout: 超时
kill: 被杀掉 被杀 杀掉 杀死
slow: 变慢 很慢 太慢 慢于 缓慢 慢
slowing: 越训越慢 越来越慢 越跑越慢 逐渐变慢
error: 报错 出错 失败 错误
invalid: 无效
可以: 可以
port: 端口
taken: 被占用 占用 冲突
checkpoint: 检查点 断点 权重
resume: 恢复训练 断点续训 续训 恢复
corrupt: 损坏 坏了
!match: 不匹配 不一致 不相符 对不上 不符 不相等 不等于 不同步 不一样 不同
connect: 连接 连上 汇合
!connect: 连不上 不通 不可达 无法连接
key: 键名 键
shape: 形状 尺寸
unknown: 无法识别 不认识 未知
argument: 参数 选项
utilization: 利用率
dataloader: 数据加载
sharedmemory: 共享内存
gpu: 显卡 卡数 张卡 号卡
host: 节点 机器
exitcode: 退出码
nccl: 集合通信
process: 进程
divisible: 整除
warmup: 预热
disappear: 消失 静默 无声无息 莫名
quota: 配额
throughput: 吞吐量 吞吐
collective: 集合操作
!available: 不可用 用不了 不能用 没法用
!found: 找不到 没找到 不存在 看不到 看不见 检测不到 识别不到 识别不了 认不到 认不出
load: 加载 载入
!load: 加载不了 加载不上 加载不进去 加载不出来 载入不了 读不了 打不开 读不出来
!start: 起不来 启动不了 启不动 没启动 不启动 没开始 不开始 跑不起来
stop: 停止 停了 停掉 中断 断了
end: 结束
exit: 退出 退了
early: 提前 过早 早早
first: 第一步 首步 第1步 第一次
crash: 崩溃 崩掉 崩了 崩 挂了 挂掉 就挂 又挂 都挂 直接挂 死亡 死了 死掉 宕机
idle: 空转 空闲 闲置 闲着 空等 吃不满 跑不满
empty: 空的 为空 是空
pending: 排队
ineffective: 被忽略 不生效 没生效 没有生效 未生效 不起作用 没起作用 没用上 没效果 没有效果 没作用 没有作用
scratch: 从头开始 又从头 从头来 从零开始 从0开始 重头开始 重新开始
wrong: 不对 错了 有误 不正确
high: 过高 偏高 太高 很高 好高 特别高 高得 过大 太大 很大 好大 特别大 高
low: 过低 偏低 太低 很低 好低 特别低 低得 很小 特别小 低
slow: 好慢 太久 很久 好久 特别久 老半天 好几分钟 半小时 几个小时 好几个小时
garbage: 乱码 胡言乱语 胡说八道 胡说 乱说 说胡话 瞎说
repeat: 复读 重复
strange: 奇怪 诡异 怪
worse: 变差 很差 差 很烂 变傻 变笨 还不如 不如
误差: 误差
差异: 差异 差别 差距
方差: 方差
差不多: 差不多
unbalanced: 不均衡 不均匀 不平衡 不均 失衡
unstable: 不稳定 不稳
missing: 缺少 缺失 缺 丢失 丢了 没了 不见了
!change: 不变 没变 没变化 没有变化 不更新 没更新 没有更新
!increase: 上不去 涨不上去 提不上去 不涨 没涨 不上升 没有上升 不升 不提升
掉线: 掉线 掉卡 掉了卡
forever: 停不下来 停不住 没完没了
decrease: 掉了 掉得 掉
diverge: 飞了 飞掉
compile: 编译
install: 安装 装
save: 保存 存储 存
worker: 子进程
evaluation: 评估 评测
config: 配置文件 配置
accuracy: 准确率
unknown: 没见过
entropy: 熵
reward: 奖励
length: 长度
sample: 样本
dataset: 数据集
expert: 专家
policy: 策略
probability: 概率
job: 作业
preprocess: 预处理
tokenizer: 分词器
adapter: 适配器
image: 图像 图片
placeholder: 占位符
accumulation: 累积 累加
clip: 裁剪
seed: 种子
command: 命令
version: 版本
quantize: 量化
folder: 目录 文件夹
file: 文件
thread: 线程
initialize: 初始化
validation: 验证集 验证
curve: 曲线
driver: 驱动
leak: 泄漏 泄露
segfault: 段错误
refuse: 拒绝 被拒 不让 不接受 不允许
exceed: 超了 超过 超出 超限
!install: 装不上 装不了 安装不上 安装不了
!compile: 编不过 编译不过 编不了 编译不了
!divisible: 除不尽 除不开 不能整除 不整除
!start: 拉不起来 拉不起 起不了
noroom: 塞满 写满 撑爆 爆掉
decrease: 越来越小 越来越低 越来越少
increase: 越来越高 越来越多 越来越长
worse: 越来越差 稀烂 拉胯 变烂
crash: 坍塌 坍缩 崩塌
oscillate: 上蹿下跳 乱跳
spike: 飙高 飙到 飙
starve: 饿着
exit: 秒退
oom: 爆显存 炸显存 显存爆了 显存炸了 显存爆
"""
HAN_STOP = """
变成 变为 训练 模型 微调 程序 任务 一直 突然 开始 一开始 以后 之后 然后 最后 就是 就 了 的 是 在 我
有 个 吗 呢 怎么办 怎么 如何 什么 为什么 现在 已经 左右 时候 的时候 直接 完全 特别 非常
很 太 都 也 和 与 或 但 而且 并且 并 被 把 从 到 上 下 里 中 后 前 时 会 要 请问 任何
时不时 动不动 不停 是不是 会不会 要不要 老是 总是 总 老 又 还 自己 好 再 突然间 为啥 咋 啥 关掉 去掉 换掉 删掉
咋回事 怎么回事 咋办 咋整 居然 竟然 明明 好像 感觉 死活 看着 啊 呀
能不能 是否 出现 提示 发生 问题 情况 比较 这个 那个 一个 一 几 每 步 说 以 不断 持续 跑着跑着 跑着 训着训着 训着
"""
