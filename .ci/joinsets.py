"""Inputs in the shapes of real series: model output, WRF, Argo, satellite granules, packed reanalyses, HDF4. For `.ci/joins`."""

import netCDF4
import numpy as np


def stored_variable(group, name, kind, dims, values, **attributes):
    """Adds a variable with stored values."""
    fill = attributes.pop("_FillValue", None)
    var = group.createVariable(name, kind, dims, fill_value=fill)
    var.set_auto_maskandscale(False)
    var.setncatts(attributes)
    var[...] = values
    return var


def distinct(*shape):
    """Values that differ, from 0 to 1."""
    count = int(np.prod(shape))
    return (np.arange(count) * 7919 % 1009 / 1009).reshape(shape)


def months(folder):
    """Three files of CMIP output: monthly means with bounds, a scalar height, and global attributes that differ."""
    lat, lon = np.linspace(-90, 90, 6), np.arange(0, 360, 45.0)
    for year in range(3):
        path = folder / f"tas_Amon_{1850 + year}.nc"
        with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC") as ds:
            for name, length in [("time", None), ("lat", 6), ("lon", 8), ("bnds", 2)]:
                ds.createDimension(name, length)
            ds.setncatts({"tracking_id": f"hdl:21.14100/{year}", "creation_date": f"2019-06-0{year + 1}", "Conventions": "CF-1.7 CMIP-6.2"})
            begins = year * 365 + np.cumsum([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
            bounds = np.stack([begins[:-1], begins[1:]], 1)
            stored_variable(ds, "time", "f8", ("time",), bounds.mean(1), units="days since 1850-01-01", calendar="noleap", bounds="time_bnds")
            stored_variable(ds, "time_bnds", "f8", ("time", "bnds"), bounds)
            stored_variable(ds, "lat", "f8", ("lat",), lat, units="degrees_north", bounds="lat_bnds")
            stored_variable(ds, "lat_bnds", "f8", ("lat", "bnds"), np.stack([lat - 18, lat + 18], 1))
            stored_variable(ds, "lon", "f8", ("lon",), lon, units="degrees_east")
            stored_variable(ds, "height", "f8", (), 2.0, units="m", positive="up")
            stored_variable(ds, "tas", "f4", ("time", "lat", "lon"), 250 + year + distinct(12, 6, 8), units="K", coordinates="height",
                     cell_methods="area: time: mean", _FillValue=1e20, missing_value=np.float32(1e20))
        yield path


def wrf(folder):
    """Hourly files of WRF: the text `Times` orders them, coordinates are along time, and the unlimited dimension has no coordinate."""
    for hour in range(4):
        path = folder / f"wrfout_d01_2005-08-28_{hour:02}.nc"
        with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as ds:
            for name, length in [("Time", None), ("DateStrLen", 19), ("south_north", 3), ("west_east", 4), ("west_east_stag", 5)]:
                ds.createDimension(name, length)
            ds.setncatts({"TITLE": " OUTPUT FROM WRF V4.1 MODEL", "START_DATE": "2005-08-28_00:00:00", "DX": np.float32(30000)})
            text = f"2005-08-28_{hour:02}:00:00"
            stored_variable(ds, "Times", "S1", ("Time", "DateStrLen"), np.frombuffer(text.encode(), "S1")[None])
            stored_variable(ds, "XTIME", "f4", ("Time",), [hour * 60.0], units="minutes since 2005-08-28 00:00:00", description="minutes")
            for name in ("XLAT", "XLONG"):
                stored_variable(ds, name, "f4", ("Time", "south_north", "west_east"), distinct(1, 3, 4), units="degree")
            stored_variable(ds, "U", "f4", ("Time", "south_north", "west_east_stag"), hour + distinct(1, 3, 5), units="m s-1", stagger="X")
        yield path


def profiles(folder):
    """Argo profiles: the joined dimension is fixed, texts are characters, and dates of creation differ."""
    for cycle in range(3):
        path = folder / f"R4900{cycle}.nc"
        with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as ds:
            for name, length in [("N_PROF", 2), ("N_LEVELS", 5), ("STRING8", 8), ("DATE_TIME", 14)]:
                ds.createDimension(name, length)
            text = lambda text, width: np.frombuffer(text.ljust(width).encode(), "S1")
            stored_variable(ds, "REFERENCE_DATE_TIME", "S1", ("DATE_TIME",), text("19500101000000", 14))
            stored_variable(ds, "DATE_CREATION", "S1", ("DATE_TIME",), text(f"2008101{cycle}120000", 14))
            stored_variable(ds, "PLATFORM_NUMBER", "S1", ("N_PROF", "STRING8"), np.stack([text(f"4900{cycle}", 8)] * 2), _FillValue=b" ")
            stored_variable(ds, "JULD", "f8", ("N_PROF",), [21000.5 + 10 * cycle, 21005.25 + 10 * cycle], _FillValue=999999.0,
                     units="days since 1950-01-01 00:00:00 UTC", conventions="Relative julian days")
            pressure = np.float32(distinct(2, 5) * 2000)
            pressure[1, 3:] = 99999
            stored_variable(ds, "PRES", "f4", ("N_PROF", "N_LEVELS"), pressure, _FillValue=99999.0, units="decibar")
        yield path


def granules(folder):
    """Satellite granules: groups, a scalar time in the root, and swaths of one shape."""
    for orbit in range(3):
        path = folder / f"S5P_{orbit:05}.nc"
        with netCDF4.Dataset(path, "w") as ds:
            stored_variable(ds, "time", "i4", (), 6000 * orbit, units="seconds since 2019-07-01 00:00:00")
            group = ds.createGroup("PRODUCT")
            group.createDimension("scanline", 4)
            group.createDimension("ground_pixel", 3)
            stored_variable(group, "ground_pixel", "i4", ("ground_pixel",), np.arange(3))
            stored_variable(group, "ozone", "f4", ("scanline", "ground_pixel"), orbit + distinct(4, 3), units="mol m-2", _FillValue=9.9692e36)
            stored_variable(group.createGroup("SUPPORT"), "qa", "u1", ("scanline", "ground_pixel"), np.full((4, 3), orbit), scale_factor=np.float32(0.01))
        yield path


def reanalysis(folder):
    """Packed files as of ERA5: each month has its own packing, latitudes fall, and times are whole hours."""
    for month, (scale, offset) in enumerate([(0.0012, 270.0), (0.0015, 268.5), (0.0011, 275.25)]):
        path = folder / f"era5_2020{month + 1:02}.nc"
        with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as ds:
            for name, length in [("time", None), ("latitude", 3), ("longitude", 4)]:
                ds.createDimension(name, length)
            stored_variable(ds, "time", "i4", ("time",), 1051896 + 744 * month + 6 * np.arange(4), units="hours since 1900-01-01 00:00:00.0", calendar="gregorian")
            stored_variable(ds, "latitude", "f4", ("latitude",), [90, 0, -90], units="degrees_north")
            stored_variable(ds, "longitude", "f4", ("longitude",), np.arange(0, 360, 90), units="degrees_east")
            packed = np.round(distinct(4, 3, 4) * 20000 - 10000).astype("i2")
            packed[0, 0, 0] = -32767
            stored_variable(ds, "t2m", "i2", ("time", "latitude", "longitude"), packed, _FillValue=-32767, missing_value=np.int16(-32767),
                     scale_factor=scale, add_offset=offset, units="K", long_name="2 metre temperature")
        yield path


def hdf4(folder):
    """HDF4 files of scientific datasets with dimension scales."""
    from pyhdf.SD import SD, SDC
    for day in range(3):
        path = folder / f"MOD08.A200{day}.hdf"
        sd = SD(str(path), SDC.WRITE | SDC.CREATE)
        for name, kind, dims, values in [
            ("time", SDC.FLOAT64, ["time"], 2.0 * day + np.arange(2)),
            ("row", SDC.INT32, ["row"], np.arange(3, dtype="i4")),
            ("cloud", SDC.INT16, ["time", "row"], np.int16(100 * day + np.arange(6)).reshape(2, 3)),
        ]:
            sds = sd.create(name, kind, values.shape)
            for n, dim in enumerate(dims):
                sds.dim(n).setname(dim)
            if name == "time":
                sds.attr("units").set(SDC.CHAR, "days since 2000-01-01")
            sds[:] = values
            sds.endaccess()
        sd.end()
        yield path


# Real sets: name, function that creates the inputs, joined dimension, options, and the variables of groups.
REAL = {
    "monthly model output": (months, "time", ["--join"], [""]),
    "WRF": (wrf, "Time", ["--join"], [""]),
    "Argo profiles": (profiles, "N_PROF", ["--join=N_PROF", "--static", "first"], [""]),
    "granules with groups": (granules, "time", ["--join-new", "time"], ["", "PRODUCT", "PRODUCT/SUPPORT"]),
    "packed reanalysis": (reanalysis, "time", ["--join", "--repack=double"], [""]),
    "HDF4": (hdf4, "time", ["--join=time"], [""]),
}
