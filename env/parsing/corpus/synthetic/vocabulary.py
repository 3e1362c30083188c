"""Words of the synthetic documents: a few invented fields of work, in English and Chinese.

Nothing here is copied prose. Every field has its own nouns, so that documents differ in their content words as real ones do.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """A field of work that documents can be about."""

    name: str
    things: tuple[str, ...]
    """Nouns, in the singular."""
    qualities: tuple[str, ...]
    """Adjectives."""
    measures: tuple[str, ...]
    """What can be measured, for tables and sheets."""


def _field(name: str, things: str, qualities: str, measures: str) -> Field:
    return Field(name, _words(things), _words(qualities), _words(measures))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ENGLISH_FIELDS = (
    _field(
        "tidal power",
        "turbine estuary barrage sluice generator blade current seabed cable harbour channel sensor basin foundation inlet",
        "submerged coastal brackish slack seasonal corroded floating reversible shallow steady",
        "output salinity flow depth torque downtime",
    ),
    _field(
        "beekeeping",
        "hive colony queen meadow frame swarm comb forager nectar orchard keeper brood smoker apiary pollen",
        "wild sheltered fertile dormant golden crowded gentle early southern healthy",
        "honey brood weight losses visits humidity",
    ),
    _field(
        "glacier survey",
        "glacier moraine crevasse ridge icefall station snowfield drill core valley meltwater theodolite marker camp expedition",
        "frozen steep remote retreating ancient northern compact drifting layered exposed",
        "thickness retreat albedo density runoff accumulation",
    ),
    _field(
        "paper conservation",
        "manuscript binding parchment pigment archive folio restorer adhesive watermark catalogue ink drawer library vellum stain",
        "brittle illuminated acidic medieval faded delicate stained decorated rare original",
        "acidity leaves tears brightness moisture age",
    ),
    _field(
        "railway signalling",
        "junction signal platform locomotive relay track timetable dispatcher siding carriage crossing depot interlocking viaduct freight",
        "electric delayed regional automatic obsolete parallel heavy redundant punctual central",
        "delay headway passengers tonnage speed failures",
    ),
    _field(
        "soil chemistry",
        "sample furrow nitrogen clay root microbe compost field laboratory harvest fungus mineral drainage plot barley",
        "alkaline porous fertile sandy organic compacted irrigated saline deep uniform",
        "nitrate carbon yield moisture potassium porosity",
    ),
    _field(
        "museum acoustics",
        "gallery vault microphone echo ceiling curtain visitor loudspeaker panel recording hall corridor organ balcony resonance",
        "vaulted quiet hollow wooden reflective curved crowded marble spacious damped",
        "reverberation loudness clarity area occupancy absorption",
    ),
    _field(
        "cheese making",
        "dairy curd rind cellar culture milk press cave brine wheel rennet pasture shelf cheesemaker whey",
        "raw aged creamy salted humid alpine soft ripened smoked traditional",
        "fat salt ripening volume acidity price",
    ),
)

ENGLISH_VERBS = _words(
    "describes supports limits improves changes explains follows delays protects replaces reaches measures controls reveals "
    "repeats requires reduces confirms joins covers"
)
ENGLISH_PARTICIPLES = _words(
    "observed repaired measured described replaced compared neglected examined recorded moved tested rebuilt confirmed closed cleaned"
)
ENGLISH_PLACES = _words(
    "Aldermoor Brackwater Calloway Dunmere Eastholt Fenwick Garrowby Hollin Inverlune Kestrel Lowick Merrow Northam Ottery "
    "Penhallow Quarrington Ravenglass Selby Thornbury Underwood"
)
ENGLISH_PEOPLE = _words(
    "Abara Brandt Castellan Deshmukh Ekström Farrow Galvan Hartono Ivanova Jansen Kowalski Lindqvist Moreau Nakamura Okafor Petrov"
)
ENGLISH_SECTIONS = _words(
    "Background Methods Results Discussion Outlook Materials Limits Observations Schedule Costs Maintenance Recommendations History"
)
ENGLISH_MENU = _words(
    "Home About Contact Login Register Newsletter Careers Privacy Imprint Sitemap Shop Forum Gallery Events Downloads Support "
    "Press Jobs Partners Subscribe Donate Archive Topics Weather Sports Travel Video Podcast Games Recipes Horoscope Auctions"
)

CHINESE_FIELDS = (
    _field(
        "桥梁检测",
        "桥墩 主梁 钢索 裂缝 支座 河道 车辆 传感器 桥面 混凝土 工程师 隧道 护栏 基础 荷载",
        "老旧 坚固 临时 主要 重要 特殊 长期 外部 明显 完整",
        "宽度 长度 温度 位移 应力 频率",
    ),
    _field(
        "茶叶种植",
        "茶园 山坡 茶树 新芽 农民 土壤 雨水 春茶 工厂 市场 品种 仓库 合作社 作坊 梯田",
        "优质 传统 高山 早期 清香 稳定 成熟 地方 自然 有名",
        "产量 价格 湿度 面积 海拔 重量",
    ),
    _field(
        "古城考古",
        "城墙 遗址 陶器 墓葬 宫殿 街道 水井 文字 青铜器 发掘队 博物馆 地层 作坊 寺庙 城门",
        "古代 早期 完整 破损 重要 北方 大型 神秘 精美 珍贵",
        "深度 数量 年代 面积 高度 厚度",
    ),
    _field(
        "城市交通",
        "地铁 公交 车站 道路 乘客 司机 信号灯 路口 线路 票价 自行车 停车场 调度员 站台 桥梁",
        "拥挤 快速 便利 主要 新建 夜间 中心 安全 平均 公共",
        "客流 速度 距离 时间 成本 事故",
    ),
    _field(
        "海洋观测",
        "浮标 海流 潮汐 船队 岛屿 渔场 卫星 海床 港口 研究员 仪器 台风 水层 珊瑚 样本",
        "深海 温暖 近岸 寒冷 自动 连续 巨大 季节 稀有 平静",
        "盐度 水温 流速 浪高 深度 气压",
    ),
)
CHINESE_VERBS = _words("影响 保护 改变 支持 说明 限制 提高 连接 覆盖 代表 需要 决定 反映 包括 推动")
CHINESE_PLACES = _words("清河 东湖 南山 白沙 长岭 金桥 石门 云台 新田 平江 安和 永定")
CHINESE_PEOPLE = _words("王建国 李明 张文华 陈立 刘志远 赵玉 周大同 吴新民 郑海 孙小平")
CHINESE_SECTIONS = _words("背景 方法 结果 讨论 展望 材料 问题 经过 计划 费用 建议 历史")
CHINESE_MENU = _words(
    "首页 关于我们 联系方式 登录 注册 订阅 招聘 版权 网站地图 商店 论坛 图片 活动 下载 帮助 新闻 体育 天气 旅游 视频 游戏 美食 专题 广告"
)
